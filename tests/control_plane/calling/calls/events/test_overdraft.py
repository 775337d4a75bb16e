"""Any interleaving of calls on little credit, with any forged report: nothing is overdrawn.

The real ledger, the real meter and the real end of calls, without the link between them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import CallPlan, PriceRow
from contracts.commands import ExtendFunds
from contracts.end_reasons import EndReason
from contracts.money import billable_seconds, charge_micros
from control_plane.calling.calls import repository as calls
from control_plane.calling.calls.ending.call_end import end_call
from control_plane.calling.calls.events.metering import meter
from control_plane.money.billing import repository as ledger
from control_plane.money.billing import service as billing
from control_plane.money.billing.audits import repository as audit_repository
from control_plane.money.billing.errors import InsufficientCredits
from control_plane.money.billing.models import CallReserve
from control_plane.money.billing.reserve import FIRST_RESERVE_SECONDS, first_funded_until_ms
from control_plane.platform.database import Database
from tests.runtime.fakes import call_plan

CALLS = 50
AT_ONCE = 4
"""Steps that run at the same time, as those of several jobs processes do."""
FORGED_MS = st.sampled_from([10**12, 2**62, 3_600_000])
TRUE_MS = st.integers(0, 200_000)
CALL = st.integers(0, CALLS - 1)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("begin"), CALL, st.just(0)),
        st.tuples(st.sampled_from(["meter", "end"]), CALL, TRUE_MS | FORGED_MS),
    ),
    min_size=5,
    max_size=60,
)
RATES = st.sampled_from([0, 1, 25_000, 33_333, 100_000])


@dataclass
class Till:
    """One tenant with little credit. ``paid_ms`` is what each running call was told of."""

    database: Database
    tenant_id: UUID
    begun: set[int] = field(default_factory=set)
    plans: dict[int, CallPlan] = field(default_factory=dict)
    paid_ms: dict[int, int | None] = field(default_factory=dict)
    charged: dict[int, int] = field(default_factory=dict)

    async def begin(self, number: int, rate: int, age_seconds: int) -> None:
        if number in self.begun:
            return
        self.begun.add(number)
        price = PriceRow(
            price_id=uuid4(), component="platform", provider="p", model="m", micros_per_minute=rate
        )
        plan = call_plan().model_copy(update={"tenant_id": self.tenant_id, "prices": (price,)})
        try:
            async with self.database.tenant_session(self.tenant_id) as session:
                await session.execute(
                    text(
                        "INSERT INTO calls (id, tenant_id, agent_id, room_name, status, plan,"
                        " created_at, started_at, funded_until_ms) VALUES (:id, :tenant, :id,"
                        " 'room', 'in_progress', cast(:plan AS jsonb), :at, :at, :funded)"
                    ),
                    {
                        "id": plan.call_id,
                        "tenant": self.tenant_id,
                        "plan": plan.model_dump_json(by_alias=True),
                        "at": datetime.now(UTC) - timedelta(seconds=age_seconds),
                        "funded": first_funded_until_ms(rate),
                    },
                )
                await billing.reserve(
                    session, self.tenant_id, plan.call_id, FIRST_RESERVE_SECONDS, rate
                )
        except InsufficientCredits:
            return
        self.plans[number] = plan
        self.paid_ms[number] = first_funded_until_ms(rate)

    async def report(self, step: str, number: int, reported_ms: int) -> None:
        if number in self.plans:
            await (self.meter if step == "meter" else self.end)(number, reported_ms)

    async def meter(self, number: int, reported_ms: int) -> None:
        async with self.database.system_session() as session:
            call = await calls.locked_call(session, self.tenant_id, self.plans[number].call_id)
            assert call is not None
            if call.is_over:
                return
            now = datetime.now(UTC)
            told = await meter(session, call, reported_ms, now, now)
        if isinstance(told, ExtendFunds):
            self.paid_ms[number] = max(self.paid_ms[number] or 0, told.funded_until_ms)

    async def end(self, number: int, reported_ms: int) -> None:
        async with self.database.system_session() as session:
            call = await calls.locked_call(session, self.tenant_id, self.plans[number].call_id)
            assert call is not None
            if await end_call(
                session, call, EndReason.NORMAL_HANGUP, reported_ms, datetime.now(UTC)
            ):
                assert call.total_cost_micros is not None
                self.charged[number] = call.total_cost_micros

    async def assert_sound(self) -> None:
        """Nothing is overdrawn, and what running workers were told is really reserved."""
        async with self.database.system_session() as session:
            account = await ledger.account(session, self.tenant_id)
            assert account is not None
            assert account.purchased_micros == 0
            assert 0 <= account.held_micros <= account.free_micros
            assert await audit_repository.unbalanced_accounts(session) == []
            held_micros = await self.held_micros(session)
            for number, plan in self.plans.items():
                paid_ms = self.paid_ms[number]
                if number in self.charged or paid_ms is None:
                    continue
                longest_ms = plan.limits.max_duration_seconds * 1000
                paid_seconds = billable_seconds(min(paid_ms, longest_ms))
                price = charge_micros(paid_seconds, plan.rate_micros_per_minute)
                assert held_micros[plan.call_id] >= price

    async def held_micros(self, session: AsyncSession) -> dict[UUID, int]:
        """What the open reserve of each call holds."""
        reserves = await session.execute(
            select(CallReserve.call_id, CallReserve.held_micros).where(
                CallReserve.tenant_id == self.tenant_id, CallReserve.state == "open"
            )
        )
        return {row.call_id: row.held_micros for row in reserves}


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    credit=st.integers(0, 1_000_000),
    begun=st.integers(0, CALLS),
    rates=st.lists(RATES, min_size=CALLS, max_size=CALLS),
    ages=st.lists(st.integers(0, 900), min_size=CALLS, max_size=CALLS),
    steps=STEPS,
)
def test_no_order_of_events_and_no_forged_report_overdraws_an_account(
    postgres_url: str,
    runner: asyncio.Runner,
    credit: int,
    begun: int,
    rates: list[int],
    ages: list[int],
    steps: list[tuple[str, int, int]],
) -> None:
    async def play() -> None:
        database = Database(postgres_url, deadline_seconds=30)
        try:
            till = await open_till(database, credit)
            await asyncio.gather(
                *(till.begin(number, rates[number], ages[number]) for number in range(begun))
            )
            for first in range(0, len(steps), AT_ONCE):
                await asyncio.gather(
                    *(
                        till.begin(number, rates[number], ages[number])
                        if step == "begin"
                        else till.report(step, number, reported_ms)
                        for step, number, reported_ms in steps[first : first + AT_ONCE]
                    )
                )
                await till.assert_sound()
            for number in till.plans:
                await till.end(number, 10**12)
            await assert_charges(till, credit, ages)
        finally:
            await database.aclose()

    runner.run(play())


async def open_till(database: Database, credit: int) -> Till:
    till = Till(database, uuid4())
    async with database.system_session() as session:
        await session.execute(
            text("INSERT INTO tenants (id, name) VALUES (:id, 'Till')"), {"id": till.tenant_id}
        )
        await billing.grant(session, till.tenant_id, credit, "Credit")
    return till


async def assert_charges(till: Till, credit: int, ages: list[int]) -> None:
    """All calls are over: no call was billed for more than the clock allows, and all together for
    no more than there was."""
    await till.assert_sound()
    assert sum(till.charged.values()) <= credit
    async with till.database.system_session() as session:
        account = await ledger.account(session, till.tenant_id)
        assert account is not None
        assert (account.free_micros, account.held_micros) == (
            credit - sum(till.charged.values()),
            0,
        )
    for number, charge in till.charged.items():
        plan = till.plans[number]
        longest = min(ages[number] + 60, plan.limits.max_duration_seconds)
        increments = -(-longest // 30)
        assert charge <= charge_micros(increments * 30, plan.rate_micros_per_minute)
