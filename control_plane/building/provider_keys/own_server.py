"""A tenant's own model server: what is wrong with it, before it is kept."""

from __future__ import annotations

import json
from http import HTTPStatus

import httpx2
import structlog

from control_plane.building.provider_keys.errors import ProviderKeyRejected, ProviderUnreachable
from control_plane.building.provider_keys.repository import OwnServer
from control_plane.building.provider_keys.schemas import DEFAULT_NAME, ProviderKeySet
from control_plane.platform.errors import InvalidRequest
from outbound.address import AddressRefused, check_address, parse_address, public_addresses
from outbound.client import guarded_client, read_limited
from outbound.policy import OutboundPolicy
from outbound.resolver import Resolver

_ANSWER_SECONDS = 10.0
"""A server of one's own may wake a machine first."""
_MOST_BYTES = 1_048_576
_SCHEMES = frozenset({"http", "https"})
_NAMED = 5
_LATEST = ":latest"
"""Ollama lists a model with this tag, and finds it without."""
_log = structlog.get_logger(__name__)


async def server_of(
    wanted: ProviderKeySet, policy: OutboundPolicy, resolver: Resolver
) -> OwnServer:
    """The server that the request describes.

    Raises:
        InvalidRequest: a field is missing, or the address is one that we must not call.
    """
    if wanted.base_url is None:
        raise InvalidRequest.at(
            "base_url",
            "is needed: the root of your server's API, which ends with /v1 for most servers",
        )
    if not wanted.models:
        raise InvalidRequest.at(
            "models", "is needed: the names of the models on your server that agents may use"
        )
    try:
        await _check(wanted.base_url, policy, resolver)
    except AddressRefused as error:
        raise InvalidRequest.at("base_url", str(error)) from None
    base_url = wanted.base_url.rstrip("/")
    return OwnServer(base_url, wanted.name or DEFAULT_NAME, tuple(wanted.models))


async def _check(url: str, policy: OutboundPolicy, resolver: Resolver) -> None:
    """Without TLS, keys and conversations may cross only networks that the operator has allowed."""
    await check_address(url, policy, schemes=_SCHEMES, resolver=resolver)
    target = parse_address(url, policy, schemes=_SCHEMES)
    if "?" in url or "#" in url:
        raise AddressRefused("The address must end with its path; give a secret as the key.")
    if target.scheme == "https":
        return
    try:
        found = await public_addresses(target.host, policy, resolver)
    except TimeoutError:
        found = ()
    if not found or not all(policy.allows(ip) for ip in found):
        raise AddressRefused(
            "The address must begin with https://. Without TLS, only a private network that the "
            "operator allows can be called."
        )


async def verify_server(
    server: OwnServer, key: str, policy: OutboundPolicy, resolver: Resolver
) -> None:
    """Ask the server for its models, with the key if there is one.

    Raises:
        ProviderKeyRejected: it does not accept the key.
        ProviderUnreachable: it did not answer in time, or not as OpenAI's API does.
        InvalidRequest: it does not have one of the models.
    """
    status, body = await _models_of(server, key, policy, resolver)
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        wrong = "Check the key" if key else "It wants a key: send it as key"
        raise ProviderKeyRejected(f"{server.base_url} answered {status}. {wrong}")
    if not 200 <= status < 300:
        raise _unreachable(server, f"answered {status}")
    try:
        listed = [str(entry["id"]) for entry in json.loads(body)["data"]]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise _unreachable(server, "answered, but not as OpenAI's API does") from None
    for position, model in enumerate(server.models):
        if not {model, model + _LATEST} & set(listed):
            has = ", ".join(listed[:_NAMED]) or "none"
            raise InvalidRequest.at(
                f"models[{position}]",
                f"{server.base_url} has no model {model}; it has {has}",
            )


async def _models_of(
    server: OwnServer, key: str, policy: OutboundPolicy, resolver: Resolver
) -> tuple[int, bytes]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    url = f"{server.base_url}/models"
    try:
        async with (
            guarded_client(policy, timeout_seconds=_ANSWER_SECONDS, resolver=resolver) as http,
            http.stream("GET", url, headers=headers) as response,
        ):
            return response.status_code, await read_limited(response, _MOST_BYTES)
    except (TimeoutError, AddressRefused, httpx2.HTTPError, httpx2.InvalidURL) as error:
        # Log only the kind of error: its text may repeat the request, which has the key.
        _log.warning("provider_key.server_not_verified", error=type(error).__name__)
        raise _unreachable(server, "does not answer") from None


def _unreachable(server: OwnServer, what: str) -> ProviderUnreachable:
    return ProviderUnreachable(
        f"{server.base_url} {what}, so the server was not stored. Start it, check that the address "
        'is the root of its API (it ends with /v1 for most servers), or send "verify": false to '
        "store it untested"
    )
