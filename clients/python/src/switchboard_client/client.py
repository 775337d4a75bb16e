"""The two clients: methods of ``Switchboard`` block, those of ``AsyncSwitchboard`` are awaited."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import httpx2

from switchboard_client.errors import KeyInvalid, ServerUnreachable
from switchboard_client.operation import body_document
from switchboard_client.request import Request, query
from switchboard_client.resources import (
    Agents,
    ApiKeys,
    AsyncAgents,
    AsyncApiKeys,
    AsyncBatches,
    AsyncBilling,
    AsyncCalls,
    AsyncCarriers,
    AsyncCatalogue,
    AsyncErasures,
    AsyncKnowledge,
    AsyncNotifications,
    AsyncNumbers,
    AsyncSharing,
    AsyncWebhooks,
    Batches,
    Billing,
    Calls,
    Carriers,
    Catalogue,
    Erasures,
    Knowledge,
    Notifications,
    Numbers,
    Sharing,
    Webhooks,
)
from switchboard_client.retry import DEFAULT_RETRY, RetryPolicy
from switchboard_client.transport import AsyncTransport, Transport

TIMEOUT_SECONDS = 15.0
_MOST_PORT = 65_535
_KEY = re.compile(r"[\x20-\x7e]*")


class Switchboard:
    """One server, one key. A context manager; call ``close`` if you do not use ``with``.

    Every method raises ``ApiError`` when the API refuses, ``ServerUnreachable`` when there is no
    answer, and ``UnexpectedAnswer`` when the answer does not come from Switchboard. Making a client
    raises ``KeyInvalid`` if the key has characters that no key has, and ``ServerUnreachable`` if
    ``server`` cannot be an address.

    Args:
        server: ``https://switchboard.example``.
        key: a secret key, or a publishable key for the few routes that it may use. White space
            around it, such as the end of a file's line, does not count.
        timeout_seconds: for one attempt. ``agents.generate`` and ``agents.say`` get longer if the
            API may need longer, because a language model writes the answer.
        retry: how often, and after how long, a failed request is sent again.
        transport: replaces the network, for tests.
    """

    def __init__(
        self,
        server: str,
        key: str,
        *,
        timeout_seconds: float = TIMEOUT_SECONDS,
        retry: RetryPolicy = DEFAULT_RETRY,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        http = httpx2.Client(transport=transport, **_settings(server, key, timeout_seconds))
        self._transport = Transport(http, retry)
        self.agents = Agents(self._transport)
        self.calls = Calls(self._transport)
        self.batches = Batches(self._transport)
        self.api_keys = ApiKeys(self._transport)
        self.catalogue = Catalogue(self._transport)
        self.billing = Billing(self._transport)
        self.erasures = Erasures(self._transport)
        self.webhooks = Webhooks(self._transport)
        self.notifications = Notifications(self._transport)
        self.carriers = Carriers(self._transport)
        self.numbers = Numbers(self._transport)
        self.knowledge = Knowledge(self._transport)
        self.sharing = Sharing(self._transport)

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: Any = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """Send a request to any route, also to those without a method here, and get its JSON.

        Args:
            idempotency_key: for a POST that takes one. A POST without it is not sent again when
                its answer is lost.
        """
        request = _raw(method, path, query, body, idempotency_key)
        return self._transport.send(request).document()

    def close(self) -> None:
        self._transport.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class AsyncSwitchboard:
    """``Switchboard`` with awaited methods. Call ``aclose`` if you do not use ``async with``."""

    def __init__(
        self,
        server: str,
        key: str,
        *,
        timeout_seconds: float = TIMEOUT_SECONDS,
        retry: RetryPolicy = DEFAULT_RETRY,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        http = httpx2.AsyncClient(transport=transport, **_settings(server, key, timeout_seconds))
        self._transport = AsyncTransport(http, retry)
        self.agents = AsyncAgents(self._transport)
        self.calls = AsyncCalls(self._transport)
        self.batches = AsyncBatches(self._transport)
        self.api_keys = AsyncApiKeys(self._transport)
        self.catalogue = AsyncCatalogue(self._transport)
        self.billing = AsyncBilling(self._transport)
        self.erasures = AsyncErasures(self._transport)
        self.webhooks = AsyncWebhooks(self._transport)
        self.notifications = AsyncNotifications(self._transport)
        self.carriers = AsyncCarriers(self._transport)
        self.numbers = AsyncNumbers(self._transport)
        self.knowledge = AsyncKnowledge(self._transport)
        self.sharing = AsyncSharing(self._transport)

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: Any = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """As ``Switchboard.request``."""
        request = _raw(method, path, query, body, idempotency_key)
        return (await self._transport.send(request)).document()

    async def aclose(self) -> None:
        await self._transport.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()


def _settings(server: str, key: str, timeout_seconds: float) -> dict[str, Any]:
    """
    Raises:
        KeyInvalid: the HTTP library would refuse the key later, in an error that repeats it.
        ServerUnreachable: nothing can be at this address.
    """
    bare = key.strip()
    if not _KEY.fullmatch(bare):
        raise KeyInvalid("The key has a line end, or a character that is not ASCII, in it.")
    return {
        "base_url": _address(server.rstrip("/")),
        "headers": {"Authorization": f"Bearer {bare}", "User-Agent": "switchboard-client/0.1"},
        "timeout": timeout_seconds,
    }


def _address(server: str) -> httpx2.URL:
    try:
        address = httpx2.URL(server)
    except httpx2.InvalidURL as error:
        raise ServerUnreachable(server, str(error)) from error
    if (address.port or 0) > _MOST_PORT:
        raise ServerUnreachable(server, f"Invalid port: {address.port}")
    return address


def _raw(
    method: str,
    path: str,
    asked: Mapping[str, object] | None,
    body: Any,
    idempotency_key: str | None,
) -> Request:
    request = Request(
        method,
        path,
        query(**(asked or {})),
        body_document(body),
        gone={} if method == "DELETE" else None,
    )
    return request if idempotency_key is None else request.once(idempotency_key)
