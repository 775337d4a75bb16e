from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.linked import consumer, redis, settings, worker

__all__ = ["consumer", "redis", "settings", "worker"]


@dataclass(frozen=True)
class OperatorClient:
    """Uses the installation's token."""

    http: httpx2.AsyncClient

    async def request(self, method: str, path: str, body: object = None) -> httpx2.Response:
        return await self.http.request(
            method,
            f"/v1/operator{path}",
            headers=OPERATOR,
            **({} if body is None else {"json": body}),
        )

    async def ok(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """The answer's document, which must be a success."""
        answer = await self.request(method, path, body)
        assert answer.is_success, answer.text
        shown: dict[str, Any] = answer.json() if answer.content else {}
        return shown

    async def refused(self, method: str, path: str, body: object = None) -> tuple[int, str]:
        answer = await self.request(method, path, body)
        assert answer.headers["content-type"] == "application/problem+json", answer.text
        return answer.status_code, answer.json()["code"]


@pytest.fixture
def operator(http: httpx2.AsyncClient) -> OperatorClient:
    return OperatorClient(http)


async def audit_log_of(tenant: TenantClient) -> list[dict[str, Any]]:
    """What the tenant's owner reads of the operator's acts, the latest first."""
    answer = await tenant.get("/v1/audit-log")
    assert answer.status_code == 200, answer.text
    entries: list[dict[str, Any]] = answer.json()["entries"]
    return [entry for entry in entries if entry["actor_kind"] == "operator"]
