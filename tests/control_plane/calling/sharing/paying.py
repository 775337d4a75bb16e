"""A tester with an account of their own, who calls an agent that is shared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import httpx2
from sqlalchemy import select

from contracts.call_plan import CallPlan
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.money.billing.models import LedgerEntry
from control_plane.platform.database import Database
from control_plane.platform.tenancy.caller import Role
from tests.control_plane.calling.sharing.visitors import Sharing, Visitor, token_of
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import catch_up
from tests.control_plane.dashboard import DashboardClient, dashboard_client
from tests.control_plane.fake_worker import FakeWorker
from tests.control_plane.money.billing.books import account_of

NOAH = "noah@example.com"


@dataclass(frozen=True)
class PayingTester:
    """``account`` pays; ``person`` is the browser in which the tester is logged in to it."""

    account: TenantClient
    person: DashboardClient
    visitor: Visitor
    tester_id: UUID

    def _path(self, rest: str) -> str:
        return f"/v1/shared/{self.visitor.token}/{rest}"

    async def payer(self) -> httpx2.Response:
        return await self.person.get(self._path("payer"))

    async def pay(self, headers: Mapping[str, str] | None = None) -> httpx2.Response:
        """Ask for a call that may be paid, with the session or with ``headers``."""
        headers = self.person.headers if headers is None else headers
        return await self.person.http.post(self._path("paid-calls"), headers=headers)

    async def talking(self, worker: FakeWorker, consumer: EventConsumer) -> CallPlan:
        answer = await self.pay()
        assert answer.status_code == 201, answer.text
        plan = await worker.claim()
        assert plan is not None
        assert str(plan.call_id) == answer.json()["id"]
        await worker.start(plan)
        await catch_up(consumer)
        return plan


async def paying_tester(
    sharing: Sharing,
    account: TenantClient,
    database: Database,
    *,
    email: str = NOAH,
    role: Role = "owner",
    person_email: str | None = None,
    **invite: Any,
) -> PayingTester:
    answer = await sharing.tenant.post(
        f"/v1/agents/{sharing.agent_id}/testers", {"email": email} | invite
    )
    assert answer.status_code == 201, answer.text
    shown = answer.json()["tester"]
    person = await dashboard_client(account, database, role, email=person_email or email)
    visitor = Visitor(account.http, token_of(shown), "203.0.113.1")
    return PayingTester(account, person, visitor, UUID(shown["id"]))


async def money_of(database: Database, tenant: TenantClient) -> tuple[int, int]:
    """The balance and what is held of it, in micro-dollars."""
    account = await account_of(database, tenant.tenant_id)
    return account.buckets.total_micros, account.held_micros


async def charges_of(database: Database, tenant: TenantClient) -> list[LedgerEntry]:
    async with database.system_session() as session:
        found = await session.scalars(
            select(LedgerEntry)
            .where(
                LedgerEntry.tenant_id == tenant.tenant_id,
                LedgerEntry.transaction_type == "charge",
            )
            .order_by(LedgerEntry.position)
        )
        return list(found)
