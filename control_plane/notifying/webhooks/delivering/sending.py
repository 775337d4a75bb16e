"""One try: one request to an address of a tenant."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

import httpx2

from control_plane.platform.database import storable
from outbound.address import AddressRefused
from outbound.guarded_network import GuardedNetwork

DEADLINE_SECONDS = 3.0
"""From the look-up of the name to the answer. Source: API spec, "Delivery behavior"."""
KEPT_OF_ANSWER = 4096
MOST_CLIENTS = 500


@dataclass(frozen=True)
class Outcome:
    duration_ms: int
    status_code: int | None
    """``None``: there was no answer."""
    error: str | None
    """Why it counts as failed, in words; ``None``: it was delivered."""
    answer: str | None
    """The beginning of the answer's body."""


class Endpoints:
    """A client for each endpoint, with connections of its own: one that hangs takes no connection
    from others. The least recently used ones are closed."""

    def __init__(self, network: GuardedNetwork) -> None:
        self._network = network
        self._clients: OrderedDict[UUID, httpx2.AsyncClient] = OrderedDict()

    def client(self, tenant_id: UUID, webhook_id: UUID) -> httpx2.AsyncClient:
        client = self._clients.get(webhook_id)
        if client is None:
            client = self._clients[webhook_id] = self._network.client(
                str(tenant_id), timeout_seconds=DEADLINE_SECONDS
            )
        self._clients.move_to_end(webhook_id)
        return client

    async def close_idle(self, busy: Mapping[UUID, int]) -> None:
        """Close what is more than ``MOST_CLIENTS``, but no client that is in use."""
        for webhook_id in list(self._clients)[: max(0, len(self._clients) - MOST_CLIENTS)]:
            if webhook_id not in busy:
                await self._clients.pop(webhook_id).aclose()

    async def aclose(self) -> None:
        for client in self._clients.values():
            await client.aclose()
        self._network.close()


async def send(
    client: httpx2.AsyncClient, url: str, headers: Mapping[str, str], body: bytes
) -> Outcome:
    """Post ``body`` once. No redirect is followed. Never raises for what the endpoint does."""
    started = time.monotonic()
    status_code, answer, error = None, None, None
    try:
        async with client.stream("POST", url, content=body, headers=dict(headers)) as response:
            status_code = response.status_code
            error = _refusal(response)
            answer = await _beginning(response)
    except AddressRefused as refused:
        error = f"The address must not be called: {refused}"
    except httpx2.TimeoutException:
        if status_code is None:
            error = f"No answer came within {DEADLINE_SECONDS:g} seconds."
    except httpx2.ConnectError as failed:
        error = f"No connection could be made: {_shown(failed)}"
    except httpx2.HTTPError as failed:
        if status_code is None:
            error = f"The connection broke before an answer came: {_shown(failed)}"
    except (httpx2.InvalidURL, ValueError) as failed:
        error = f"The request could not be made: {_shown(failed)}"
    duration_ms = round((time.monotonic() - started) * 1000)
    return Outcome(duration_ms, status_code, error, answer)


def _refusal(response: httpx2.Response) -> str | None:
    code = response.status_code
    if 200 <= code < 300:
        return None
    if 300 <= code < 400:
        return f"The answer was {code}, a redirect, which is not followed; 2xx was expected."
    return f"The answer was {code}; 2xx was expected."


async def _beginning(response: httpx2.Response) -> str:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) >= KEPT_OF_ANSWER:
            break
    return storable(bytes(body[:KEPT_OF_ANSWER]).decode("utf-8", "replace"))


def _shown(error: Exception) -> str:
    return storable(str(error) or type(error).__name__)[:300]
