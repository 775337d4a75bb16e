"""Sends the request of a ``call_webhook`` tool, and says what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass

import httpx2

from outbound.address import AddressRefused
from pipelines.webhooks.webhook_request import WebhookRequest

MOST_BYTES = 16 * 1024
"""Of an answer. The model gets the beginning of a longer one."""
RETRY_PAUSE_SECONDS = 0.2
_IDEMPOTENT = frozenset({"GET", "PUT", "DELETE"})
"""RFC 9110, 9.2.2. Only these are sent a second time."""
_WORTH_A_RETRY = frozenset({502, 503, 504})
_SHORTEST_SECRET = 4
MASK = "••••"


@dataclass(frozen=True)
class ToolResult:
    """``text`` is what the model reads and answers; ``None``: nothing is left to say."""

    text: str | None
    is_error: bool = False


async def call_webhook(
    http: httpx2.AsyncClient,
    request: WebhookRequest,
    timeout_seconds: float,
    secrets: Collection[str] = (),
) -> ToolResult:
    """Send ``request``; twice if it is idempotent and the first try met a fault that may pass.

    Args:
        http: a guarded client.
        timeout_seconds: for both tries together.
        secrets: are masked where the answer repeats them.
    """
    try:
        async with asyncio.timeout(timeout_seconds):
            result = await _with_retry(http, request)
    except TimeoutError:
        result = _failed(f"no answer within {timeout_seconds:g} s")
    return ToolResult(masked(result.text or "", secrets), result.is_error)


async def _with_retry(http: httpx2.AsyncClient, request: WebhookRequest) -> ToolResult:
    if request.method in _IDEMPOTENT:
        try:
            answer = await _sent(http, request)
        except httpx2.TransportError:
            pass
        except (httpx2.HTTPError, AddressRefused) as error:
            return _failed(_reason(error))
        else:
            if answer.status not in _WORTH_A_RETRY:
                return answer.result()
        await asyncio.sleep(RETRY_PAUSE_SECONDS)
    try:
        return (await _sent(http, request)).result()
    except (httpx2.HTTPError, AddressRefused) as error:
        return _failed(_reason(error))


@dataclass(frozen=True)
class _Answer:
    status: int
    text: str

    def result(self) -> ToolResult:
        if httpx2.codes.is_success(self.status):
            return ToolResult(self.text or f"done (HTTP {self.status}, no content)")
        if httpx2.codes.is_redirect(self.status):
            return _failed(f"HTTP {self.status}: redirects are not followed")
        return _failed(f"HTTP {self.status}" + (f": {self.text}" if self.text else ""))


async def _sent(http: httpx2.AsyncClient, request: WebhookRequest) -> _Answer:
    async with http.stream(
        request.method, request.url, headers=dict(request.headers), content=request.body
    ) as response:
        read = bytearray()
        async for part in response.aiter_bytes():
            read += part
            if len(read) > MOST_BYTES:
                break
    text = bytes(read[:MOST_BYTES]).decode("utf-8", "replace").replace("\0", "")
    cut = " … (cut after 16 KB)" if len(read) > MOST_BYTES else ""
    return _Answer(response.status_code, text.strip() + cut)


def _failed(reason: str) -> ToolResult:
    return ToolResult(f"The tool failed: {reason}", is_error=True)


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__


def masked(text: str, secrets: Collection[str]) -> str:
    """``text`` with a mask for each of ``secrets`` that is long enough to be one."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, MASK)
    return text
