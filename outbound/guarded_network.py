"""Connections to tenants' own servers, for a process that serves many tenants."""

from __future__ import annotations

import ssl

import httpx2
from websockets.asyncio.client import ClientConnection

from outbound.client import MAX_RESPONSE_BYTES, guarded_client
from outbound.policy import OutboundPolicy
from outbound.resolver import SharedResolver
from outbound.web_socket import guarded_web_socket


class GuardedNetwork:
    """Each tenant has its own share of the look-ups."""

    def __init__(self, policy: OutboundPolicy, tls: ssl.SSLContext | None = None) -> None:
        """
        Args:
            tls: replaces the system's certificate authorities.
        """
        self._policy = policy
        self._tls = tls
        self._resolver = SharedResolver()

    def client(
        self,
        tenant: str,
        *,
        timeout_seconds: float,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
    ) -> httpx2.AsyncClient:
        """``outbound.client.guarded_client`` for one tenant. The caller must close it."""
        return guarded_client(
            self._policy,
            timeout_seconds=timeout_seconds,
            max_response_bytes=max_response_bytes,
            resolver=self._resolver.of(tenant),
            tls=self._tls,
        )

    async def web_socket(
        self, url: str, tenant: str, *, connect_seconds: float
    ) -> ClientConnection:
        """``outbound.web_socket.guarded_web_socket`` for one tenant, with its errors. The caller
        must close it."""
        return await guarded_web_socket(
            url,
            self._policy,
            connect_seconds=connect_seconds,
            resolver=self._resolver.of(tenant),
            tls=self._tls,
        )

    def close(self) -> None:
        """Start no look-up any more. Connections stay open."""
        self._resolver.close()
