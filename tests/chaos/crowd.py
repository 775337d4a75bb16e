"""Clients that make calls over HTTP, some twice with one key, and hang some up."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID, uuid4

import httpx2

from tests.own_api import OwnApi

CLIENTS = 8
ASKED_TWICE = 0.05
HUNG_UP = 0.05
RICH_USD, POOR_USD = 100_000, 2
"""The poor tenant's calls run out of money, at the start or while they run."""


@dataclass
class Crowd:
    """``created`` are the calls that the API said it made, by tenant; while ``may_go_on`` is not
    set, no more are asked for."""

    api: OwnApi
    dice: random.Random
    created: dict[UUID, list[UUID]] = field(default_factory=dict)
    answers: Counter[str] = field(default_factory=Counter)
    may_go_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def make(self, calls: int) -> None:
        tenants = [
            await asyncio.to_thread(self._open_tenant, credit_usd)
            for credit_usd in (RICH_USD, RICH_USD, RICH_USD, POOR_USD)
        ]
        numbers = iter(range(calls))

        async def client(http: httpx2.AsyncClient, group: asyncio.TaskGroup) -> None:
            for _ in numbers:
                call_id = None
                while call_id is None:  # The poor tenant is refused now and then.
                    await self.may_go_on.wait()
                    tenant_id, agent_id, headers = self.dice.choices(tenants, (40, 30, 20, 10))[0]
                    call_id = await self._create(http, agent_id, headers)
                self.created[tenant_id].append(call_id)
                if self.dice.random() < HUNG_UP:
                    group.create_task(self._hang_up(http, call_id, headers))

        async with (
            httpx2.AsyncClient(base_url=self.api.url, timeout=60) as http,
            asyncio.TaskGroup() as group,
        ):
            for _ in range(CLIENTS):
                group.create_task(client(http, group))

    def _open_tenant(self, credit_usd: float) -> tuple[UUID, UUID, dict[str, str]]:
        tenant_id, key = self.api.open_account()
        headers = {"Authorization": f"Bearer {key}"}
        credit = {"amount_usd": credit_usd, "description": "For the calls"}
        with httpx2.Client(base_url=self.api.url) as http:
            credits = f"/v1/operator/tenants/{tenant_id}/credits"
            http.post(credits, headers=self.api.operator, json=credit).raise_for_status()
            agent = http.post("/v1/agents", headers=headers, json={"name": "Reception"})
            agent_id = agent.raise_for_status().json()["id"]
            http.post(f"/v1/agents/{agent_id}/publish", headers=headers).raise_for_status()
        self.created[tenant_id] = []
        return tenant_id, UUID(agent_id), headers

    async def _create(
        self, http: httpx2.AsyncClient, agent_id: UUID, headers: dict[str, str]
    ) -> UUID | None:
        body = {
            "agent_id": str(agent_id),
            "participants": [{"transport": "webrtc", "identity": "ada"}],
        }
        once = headers | {"Idempotency-Key": str(uuid4())}
        sent = [self._post(http, "/v1/calls", once, body)]
        if self.dice.random() < ASKED_TWICE:
            sent.append(self._post(http, "/v1/calls", once, body))
        answers = await asyncio.gather(*sent)
        made = {UUID(each.json()["id"]) for each in answers if each.status_code == 201}
        unexpected = [each.text for each in answers if each.status_code not in (201, 402, 409)]
        assert not unexpected, unexpected
        assert len(made) <= 1, "one key made two calls"
        return made.pop() if made else None

    async def _hang_up(
        self, http: httpx2.AsyncClient, call_id: UUID, headers: dict[str, str]
    ) -> None:
        await asyncio.sleep(self.dice.random() * 3)
        answer = await self._post(http, f"/v1/calls/{call_id}/end", headers)
        assert answer.status_code in (200, 409), answer.text

    async def _post(
        self,
        http: httpx2.AsyncClient,
        path: str,
        headers: dict[str, str],
        body: Mapping[str, object] | None = None,
    ) -> httpx2.Response:
        """Ask until there is an answer: a database that is late is said to be worth a retry."""
        while True:
            answer = await http.post(path, json=body, headers=headers)
            self.answers[f"{path.rsplit('/')[-1]} {answer.status_code}"] += 1
            if answer.status_code != 503:
                return answer
            await asyncio.sleep(float(answer.headers["Retry-After"]))
