"""Switchboard's public API as this command line uses it."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self
from uuid import uuid4

from switchboard.caller.problems import told_in_words
from switchboard_client import AsyncSwitchboard

_TIMEOUT_SECONDS = 15.0


class PublicApi:
    """One server, one bearer key, and documents as they are on the wire. An async context manager.

    Every method raises ``ServerUnreachable`` or ``RequestRefused``.
    """

    def __init__(self, server: str, key: str, *, timeout_seconds: float = _TIMEOUT_SECONDS) -> None:
        self.client = AsyncSwitchboard(server, key, timeout_seconds=timeout_seconds)
        """The same connection with types; its errors are its own."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.client.aclose()

    async def get(self, path: str, **query: str | int) -> dict[str, Any]:
        return await self._request("GET", path, query=query)

    async def post(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        return await self._request("POST", path, body=body)

    async def delete(self, path: str) -> dict[str, Any]:
        return await self._request("DELETE", path)

    async def place_call(self, agent_id: str, identity: str) -> dict[str, Any]:
        """A call with one browser participant; its ``access`` says where to connect."""
        participant = {"transport": "webrtc", "identity": identity}
        return await self._request(
            "POST",
            "/v1/calls",
            body={"agent_id": agent_id, "participants": [participant]},
            idempotency_key=str(uuid4()),
        )

    async def _request(self, method: str, path: str, **arguments: Any) -> dict[str, Any]:
        with told_in_words():
            answer: dict[str, Any] = await self.client.request(method, path, **arguments)
            return answer
