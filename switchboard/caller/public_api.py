"""Switchboard's public API as this command line uses it."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

import httpx2

from switchboard.caller.problems import RequestRefused, ServerUnreachable

_TIMEOUT_SECONDS = 15.0


class PublicApi:
    """One server, one bearer key. An async context manager.

    Every method raises ``ServerUnreachable`` or ``RequestRefused``.
    """

    def __init__(self, server: str, key: str, *, timeout_seconds: float = _TIMEOUT_SECONDS) -> None:
        self._server = server.rstrip("/")
        self._http = httpx2.AsyncClient(
            base_url=self._server,
            headers={"Authorization": f"Bearer {key}"},
            timeout=timeout_seconds,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._http.aclose()

    async def get(self, path: str, **query: str | int) -> dict[str, Any]:
        return await self._request("GET", path, params=query)

    async def post(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        return await self._request("POST", path, json=body)

    async def delete(self, path: str) -> dict[str, Any]:
        return await self._request("DELETE", path)

    async def place_call(self, agent_id: str, identity: str) -> dict[str, Any]:
        """A call with one browser participant; its ``access`` says where to connect."""
        participant = {"transport": "webrtc", "identity": identity}
        return await self.post("/v1/calls", {"agent_id": agent_id, "participants": [participant]})

    async def _request(self, method: str, path: str, **arguments: Any) -> dict[str, Any]:
        try:
            response = await self._http.request(method, path, **arguments)
        except httpx2.TransportError as error:
            raise ServerUnreachable(self._server) from error
        if response.is_success:
            answer: dict[str, Any] = response.json() if response.content else {}
            return answer
        raise refusal(response)


def refusal(response: httpx2.Response) -> RequestRefused:
    """What an answer that is no success says, from its problem+json if it has one."""
    try:
        problem = response.json()
    except ValueError:
        problem = {}
    if not isinstance(problem, dict):
        problem = {}
    detail = problem.get("detail") or problem.get("title")
    return RequestRefused(
        response.status_code,
        problem.get("code"),
        detail or f"The server answered {response.status_code} {response.reason_phrase}.",
        problem,
    )
