"""Checking the addresses that an agent's configuration makes the service call."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

from contracts.tool_bindings import MAX_TOOLS
from control_plane.platform.errors import InvalidRequest
from outbound.address import AddressRefused, check_address
from outbound.policy import OutboundPolicy

CUSTOM_URLS = ("custom_llm_url", "custom_voice_url", "custom_transcriber_url")
"""The tenant's own endpoints, for the enterprise tier only."""
_HTTPS = frozenset({"https"})
_HTTPS_OR_WSS = frozenset({"https", "wss"})


async def check_addresses(
    sent: Mapping[str, Any], tier: str, allowed_networks: tuple[str, ...]
) -> None:
    """Check the addresses in a request. Do this before any row is locked: it looks names up.

    Args:
        sent: a configuration or part of one, not validated yet. Values that are not strings are
            left to validation.
        tier: the tenant's.
        allowed_networks: private networks (CIDR) that addresses may point to.

    Raises:
        InvalidRequest: an address has the wrong scheme, leads to a private network, or needs a
            tier that the tenant does not have.
    """
    for name in CUSTOM_URLS:
        if isinstance(sent.get(name), str) and tier != "enterprise":
            raise InvalidRequest.at(
                name, "needs the enterprise tier; leave it out, or ask for that tier"
            )
    policy = OutboundPolicy(allowed_networks)
    async with asyncio.TaskGroup() as group:
        checks = {
            field: group.create_task(_fault(url, policy, schemes))
            for field, url, schemes in _addresses(sent)
        }
    errors = [
        {"field": field, "message": fault}
        for field, check in checks.items()
        if (fault := check.result()) is not None
    ]
    if errors:
        raise InvalidRequest(errors=errors)


def _addresses(sent: Mapping[str, Any]) -> Iterator[tuple[str, str, frozenset[str]]]:
    for name in CUSTOM_URLS:
        if isinstance(url := sent.get(name), str):
            yield name, url, _HTTPS_OR_WSS
    tools = sent.get("tools")
    for index, tool in enumerate(tools[:MAX_TOOLS] if isinstance(tools, list) else ()):
        if not isinstance(tool, dict):
            continue
        if isinstance(url := tool.get("url"), str):
            yield f"tools[{index}].url", url, _HTTPS
        if isinstance(to := tool.get("to"), str) and (host := _sip_host(to)):
            yield f"tools[{index}].to", f"https://{host}/", _HTTPS


def _sip_host(uri: str) -> str | None:
    scheme, _, rest = uri.partition(":")
    return rest.rpartition("@")[2] if scheme.lower() in ("sip", "sips") else None


async def _fault(url: str, policy: OutboundPolicy, schemes: frozenset[str]) -> str | None:
    try:
        await check_address(url, policy, schemes=schemes)
    except AddressRefused as error:
        return str(error)
    return None
