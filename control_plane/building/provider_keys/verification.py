"""Testing a key with the provider's cheapest authenticated request."""

from __future__ import annotations

import asyncio
import functools
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from types import MappingProxyType

import structlog

from control_plane.building.provider_keys.errors import ProviderKeyRejected, ProviderUnreachable
from pipelines.settings import ProviderSettings

_TIMEOUT_SECONDS = 3.0
_SAYS_NO = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
"""Statuses of a rejected key. Google answers 400."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class _Question:
    path: str
    header: str
    scheme: str = ""
    """Comes before the key in the header."""
    further_headers: tuple[tuple[str, str], ...] = ()


_QUESTIONS: Mapping[str, _Question] = MappingProxyType(
    {
        "openai": _Question("/models", "Authorization", "Bearer "),
        "google": _Question("/v1beta/models?pageSize=1", "x-goog-api-key"),
        "anthropic": _Question(
            "/v1/models?limit=1",
            "x-api-key",
            further_headers=(("anthropic-version", "2023-06-01"),),
        ),
        "deepgram": _Question("/projects", "Authorization", "Token "),
        "elevenlabs": _Question("/user", "xi-api-key"),
        "cartesia": _Question(
            "/voices?limit=1", "X-API-Key", further_headers=(("Cartesia-Version", "2025-04-16"),)
        ),
    }
)


async def verify_key(provider: str, key: str, base_urls: Mapping[str, str]) -> None:
    """Ask the provider whether it accepts the key.

    Args:
        base_urls: addresses that replace the providers' own, by provider.

    Raises:
        ProviderKeyRejected: the provider does not accept the key.
        ProviderUnreachable: the provider did not answer in time, or answered something else.
    """
    import httpx2

    question = _QUESTIONS[provider]
    url = ProviderSettings(base_urls=base_urls).base_url(provider) + question.path
    headers = {question.header: question.scheme + key, **dict(question.further_headers)}
    try:
        async with asyncio.timeout(_TIMEOUT_SECONDS):
            status = await _status_of(url, headers)
    except (TimeoutError, httpx2.HTTPError, httpx2.InvalidURL) as error:
        # Log only the kind of error: its text may repeat the request, which has the key.
        _log.warning("provider_key.not_verified", provider=provider, error=type(error).__name__)
        raise _unreachable(provider, "did not answer in time") from None
    if status in _SAYS_NO:
        raise ProviderKeyRejected(
            f"{provider} answered {status}. Check the key. If it is not allowed to list models, "
            'send "verify": false'
        )
    if not 200 <= status < 300:
        raise _unreachable(provider, f"answered {status}")


def _unreachable(provider: str, what: str) -> ProviderUnreachable:
    return ProviderUnreachable(
        f"{provider} {what}, so the key was not stored. Try again, or send "
        '"verify": false to store it untested'
    )


async def _status_of(url: str, headers: Mapping[str, str]) -> int:
    """The status of the answer. The body, which may be long, is not read."""
    import httpx2

    tls = await asyncio.to_thread(_tls_context)
    async with (
        httpx2.AsyncClient(verify=tls, timeout=None) as http,
        http.stream("GET", url, headers=headers) as response,
    ):
        return response.status_code


@functools.cache
def _tls_context() -> ssl.SSLContext:
    """Kept, because it takes about 50 ms to build."""
    import httpx2

    return httpx2.create_ssl_context()
