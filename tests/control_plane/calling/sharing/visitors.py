"""An agent that is shared, and visitors who call it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import httpx2

from contracts.call_plan import CallPlan
from control_plane.calling.calls.events.consumer import EventConsumer
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import catch_up
from tests.control_plane.fake_worker import FakeWorker


@dataclass(frozen=True)
class Sharing:
    tenant: TenantClient
    agent_id: UUID

    @property
    def path(self) -> str:
        return f"/v1/agents/{self.agent_id}/share-link"

    async def put(self, **fields: Any) -> httpx2.Response:
        return await self.tenant.request("PUT", self.path, json=fields)

    async def link(self, **fields: Any) -> dict[str, Any]:
        """The link, changed by ``fields``."""
        answer = await self.put(**fields)
        assert answer.status_code == 200, answer.text
        shown: dict[str, Any] = answer.json()["link"]
        return shown

    async def visitor(self, address: str = "203.0.113.1", **fields: Any) -> Visitor:
        return Visitor(self.tenant.http, token_of(await self.link(**fields)), address)


def token_of(link: dict[str, Any]) -> str:
    return str(link["url"].rpartition("/s/")[2])


@dataclass(frozen=True)
class Visitor:
    http: httpx2.AsyncClient
    token: str
    address: str
    origin: str | None = None

    async def _ask(self, method: str, path: str) -> httpx2.Response:
        headers = {"X-Forwarded-For": self.address}
        if self.origin is not None:
            headers["Origin"] = self.origin
        return await self.http.request(method, f"/v1/shared/{self.token}{path}", headers=headers)

    async def look(self) -> dict[str, Any]:
        answer = await self._ask("GET", "")
        assert answer.status_code == 200, answer.text
        shown: dict[str, Any] = answer.json()
        return shown

    async def state(self) -> str:
        return str((await self.look())["state"])

    async def visit(self) -> httpx2.Response:
        return await self._ask("GET", "")

    async def call(self) -> httpx2.Response:
        return await self._ask("POST", "/calls")

    async def ask_for_minutes(self) -> httpx2.Response:
        return await self._ask("POST", "/minutes-request")


def outcome(answer: httpx2.Response) -> tuple[int, str | None]:
    return answer.status_code, answer.json().get("code")


async def talked(
    visitor: Visitor, worker: FakeWorker, consumer: EventConsumer, seconds: float
) -> CallPlan:
    """A call of the visitor, from its beginning to its end."""
    plan = await talking(visitor, worker, consumer)
    await hung_up(plan, worker, consumer, seconds)
    return plan


async def talking(visitor: Visitor, worker: FakeWorker, consumer: EventConsumer) -> CallPlan:
    answer = await visitor.call()
    assert answer.status_code == 201, answer.text
    plan = await worker.claim()
    assert plan is not None
    assert str(plan.call_id) == answer.json()["id"]
    await worker.start(plan)
    await catch_up(consumer)
    return plan


async def hung_up(
    plan: CallPlan, worker: FakeWorker, consumer: EventConsumer, seconds: float
) -> None:
    await worker.end(plan, round(seconds * 1000))
    await catch_up(consumer)
