"""Checking the addresses that an agent's configuration makes the service call.

A name server may take seconds to answer. So names are looked up before a request takes a connection
to the database: routes name one of the dependencies below before their session. What was found is
judged later, among the other checks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Any

from fastapi import Depends, Request

from contracts.tool_bindings import MAX_TOOLS
from control_plane.building.agents.publishing.schemas import PublishCheck
from control_plane.building.agents.schemas import AgentCreate, AgentUpdate
from control_plane.identity.authentication.dependencies import MemberCaller
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.http.dependencies import AppSettings
from outbound.address import AddressRefused, check_address
from outbound.policy import OutboundPolicy
from outbound.resolver import Resolver, SharedResolver

CUSTOM_URLS = ("custom_llm_url", "custom_voice_url", "custom_transcriber_url")
"""The tenant's own endpoints, for the enterprise tier only."""
_HTTPS = frozenset({"https"})
_HTTPS_OR_WSS = frozenset({"https", "wss"})

AddressFaults = Mapping[str, str]
"""What is wrong with the addresses of a configuration, by field: one has the wrong scheme, or leads
to a private network."""
NO_ADDRESSES: AddressFaults = MappingProxyType({})


def refuse_addresses(sent: Mapping[str, Any], tier: str, faults: AddressFaults) -> None:
    """
    Args:
        tier: the tenant's.

    Raises:
        InvalidRequest: an address has a fault, or needs a tier that the tenant does not have.
    """
    for name in CUSTOM_URLS:
        if isinstance(sent.get(name), str) and tier != "enterprise":
            raise InvalidRequest.at(
                name, "needs the enterprise tier; leave it out, or ask for that tier"
            )
    if faults:
        raise InvalidRequest(
            errors=[{"field": field, "message": fault} for field, fault in faults.items()]
        )


async def tenant_resolver(request: Request, caller: MemberCaller) -> Resolver:
    """The look-ups of the caller's tenant."""
    shared: SharedResolver = request.app.state.resolver
    return shared.of(str(caller.tenant_id))


TenantResolver = Annotated[Resolver, Depends(tenant_resolver)]


class AddressLookUp:
    """Finds the faults of a tenant's configurations, by the installation's rules."""

    def __init__(self, settings: AppSettings, resolver: TenantResolver) -> None:
        self._policy = OutboundPolicy(settings.outbound_allowed_networks)
        self._resolver = resolver

    async def faults(self, sent: Mapping[str, Any]) -> AddressFaults:
        """Look up the names in a configuration, or in a part of one. Do it without a session.

        Args:
            sent: not validated yet. Values that are not strings are left to validation.
        """
        async with asyncio.TaskGroup() as group:
            checks = {
                field: group.create_task(self._fault(url, schemes))
                for field, url, schemes in _addresses(sent)
            }
        found = {field: check.result() for field, check in checks.items()}
        return {field: fault for field, fault in found.items() if fault is not None}

    async def _fault(self, url: str, schemes: frozenset[str]) -> str | None:
        try:
            await check_address(url, self._policy, schemes=schemes, resolver=self._resolver)
        except AddressRefused as error:
            return str(error)
        return None


async def address_look_up(settings: AppSettings, resolver: TenantResolver) -> AddressLookUp:
    return AddressLookUp(settings, resolver)


TenantLookUp = Annotated[AddressLookUp, Depends(address_look_up)]


async def _of_new(wanted: AgentCreate, look_up: TenantLookUp) -> AddressFaults:
    return await look_up.faults(wanted.root)


async def _of_changes(changes: AgentUpdate, look_up: TenantLookUp) -> AddressFaults:
    return await look_up.faults(changes.root)


async def _of_check(wanted: PublishCheck, look_up: TenantLookUp) -> AddressFaults:
    return await look_up.faults(wanted.agent_fields)


FaultsOfNew = Annotated[AddressFaults, Depends(_of_new)]
FaultsOfChanges = Annotated[AddressFaults, Depends(_of_changes)]
FaultsOfCheck = Annotated[AddressFaults, Depends(_of_check)]


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
