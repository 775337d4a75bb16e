"""Fifty calls on $1, whatever becomes of the consumer and the workers: nobody talks for free.

A worker knows only what it was told is paid for, and hangs up when that is over. Its readings wait
in a stream until a consumer takes them: late, never while it is stopped, or two consumers at once.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from contracts.money import billable_seconds, charge_micros
from control_plane.money.billing import repository as ledger
from control_plane.money.billing.audits import repository as audit_repository
from control_plane.money.billing.audits.audit import audit_books
from control_plane.platform.database import Database
from tests.control_plane.calling.calls.events.test_overdraft import (
    CALLS,
    FORGED_MS,
    Till,
    open_till,
)

CREDIT_MICROS = 1_000_000
AGE_SECONDS = 900
"""Of each call: so long it may have been connected, by the clock of the control plane."""
AT_ONCE = 3
NUMBER = st.integers(0, CALLS - 1)
STEP = st.one_of(
    st.tuples(st.just("talk"), NUMBER, st.integers(1, 90_000)),
    st.tuples(st.just("forge"), NUMBER, FORGED_MS | st.just(0)),
    st.tuples(st.sampled_from(["hang_up", "forge_end", "kill", "reap"]), NUMBER, st.just(10**12)),
    st.tuples(st.just("consume"), st.integers(1, 8), st.integers(1, 2)),
)
"""``consume`` is followed by how many readings are taken and by how many consumers."""


@dataclass
class Workers:
    """The workers of one tenant's calls, and the stream between them and the consumer."""

    till: Till
    served_ms: dict[int, int] = field(default_factory=dict)
    """How long the caller of each call has really talked."""
    silent: set[int] = field(default_factory=set)
    """Calls whose worker was killed or has hung up."""
    killed: set[int] = field(default_factory=set)
    stream: deque[tuple[str, int, int]] = field(default_factory=deque)

    async def take(self, step: str, number: int, value: int) -> None:
        if step == "consume":
            return await self.consume(number, consumers=value)
        if step == "reap":
            if number in self.killed:
                await self.till.end(number, self.served_ms[number])
            return None
        if number not in self.till.plans or number in self.silent:
            return None
        served_ms = self.served_ms.setdefault(number, 0)
        match step:
            case "talk":
                paid_ms = self.till.paid_ms[number]
                assert paid_ms is not None
                self.served_ms[number] = max(served_ms, min(served_ms + value, paid_ms))
                self.stream.append(("meter", number, self.served_ms[number]))
            case "forge":
                self.stream.append(("meter", number, value))
            case "hang_up" | "forge_end":
                self.silent.add(number)
                self.stream.append(("end", number, served_ms if step == "hang_up" else value))
            case "kill":
                self.silent.add(number)
                self.killed.add(number)
        return None

    async def consume(self, count: int, consumers: int) -> None:
        """Each reading goes to every consumer, as when one was taken for dead."""
        taken = [self.stream.popleft() for _ in range(min(count, len(self.stream)))]
        for step, number, reported_ms in taken:
            await asyncio.gather(
                *(self.till.report(step, number, reported_ms) for _ in range(consumers))
            )

    async def assert_paid_for(self) -> None:
        """What callers of running calls have heard is reserved, up to one increment each."""
        async with self.till.database.system_session() as session:
            account = await ledger.account(session, self.till.tenant_id)
            assert account is not None
            assert account.free_micros >= account.held_micros >= 0 == account.purchased_micros
            assert await audit_repository.unbalanced_accounts(session) == []
            held_micros = await self.till.held_micros(session)
        for number in self.till.plans.keys() - self.till.charged.keys():
            plan = self.till.plans[number]
            rate = plan.rate_micros_per_minute
            heard = charge_micros(billable_seconds(self.served_ms.get(number, 0)), rate)
            assert heard <= held_micros[plan.call_id] + charge_micros(30, rate)


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@settings(
    max_examples=6,
    deadline=None,
    # Looking for a simpler failure would take minutes.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    rates=st.lists(st.sampled_from([25_000, 33_333, 100_000]), min_size=CALLS, max_size=CALLS),
    steps=st.lists(STEP, min_size=20, max_size=80),
)
def test_no_outage_and_no_forged_report_lets_fifty_calls_on_a_dollar_overdraw(
    postgres_url: str,
    runner: asyncio.Runner,
    rates: list[int],
    steps: list[tuple[str, int, int]],
) -> None:
    async def play() -> None:
        database = Database(postgres_url, deadline_seconds=30)
        try:
            till = await open_till(database, CREDIT_MICROS)
            workers = Workers(till)
            await asyncio.gather(
                *(till.begin(number, rates[number], AGE_SECONDS) for number in range(CALLS))
            )
            for first in range(0, len(steps), AT_ONCE):
                await asyncio.gather(*(workers.take(*s) for s in steps[first : first + AT_ONCE]))
                await workers.assert_paid_for()
            await workers.consume(len(workers.stream), consumers=2)
            for number in till.plans.keys() - till.charged.keys():
                await till.end(number, workers.served_ms.get(number, 0))
            await workers.assert_paid_for()
            async with database.system_session() as session:
                account = await ledger.account(session, till.tenant_id)
            assert account is not None
            assert account.free_micros == CREDIT_MICROS - sum(till.charged.values())
            assert await audit_books(database) == []
        finally:
            await database.aclose()

    runner.run(play())
