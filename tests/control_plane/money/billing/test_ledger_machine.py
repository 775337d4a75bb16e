"""Any sequence of what happens to an account keeps its books: each bucket is the sum of its
entries.

The machine knows nothing of buckets but what the rules say of totals. Each rule is a transaction,
or one that is rolled back, as a crash would; some are repeated with the same reference.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.billing import credit, repository, service
from control_plane.money.billing.errors import InsufficientCredits
from control_plane.money.billing.tariff import Tariff
from control_plane.money.plans.month import begins_at
from control_plane.money.plans.monthly_credit import begin_month
from control_plane.platform.database import Database
from tests.control_plane.money.billing.books import (
    RATE,
    account_of,
    assert_books_balance,
    new_call,
    new_tenant,
)

MONTHLY = 70_001
"""Not a multiple of what half a minute costs, so that holds are divided over buckets."""
MICROS = st.integers(1, 200_000)
INCREMENTS = st.integers(1, 12)
IS_CRASH = st.booleans()


class _Crash(Exception):
    pass


@dataclass
class _Machine:
    """What every machine of a test shares."""

    runner: asyncio.Runner
    database: Database


def machine_of(shared: _Machine) -> type[RuleBasedStateMachine]:
    class Account(RuleBasedStateMachine):
        calls = Bundle("calls")
        payments = Bundle("payments")

        def __init__(self) -> None:
            super().__init__()
            self.tenant: UUID = self.run(self.begin())
            self.total = 0
            self.month = 1
            self.numbers = 0

        @staticmethod
        def run(work: Coroutine[Any, Any, Any]) -> Any:
            return shared.runner.run(work)

        async def begin(self) -> UUID:
            tenant = await new_tenant(shared.database)
            async with shared.database.system_session() as session:
                await session.execute(
                    text("UPDATE tenants SET plan_id = 'machine' WHERE id = :id"), {"id": tenant}
                )
            return tenant

        def reference(self) -> str:
            self.numbers += 1
            return str(self.numbers)

        def transact(
            self, work: Callable[[AsyncSession], Awaitable[Any]], *, is_crash: bool = False
        ) -> Any:
            async def transaction() -> Any:
                async with shared.database.system_session() as session:
                    result = await work(session)
                    await session.flush()
                    if is_crash:
                        raise _Crash
                    return result

            try:
                return self.run(transaction())
            except _Crash:
                return None

        @rule(target=payments, micros=MICROS, bonus=st.integers(0, 5_000), is_crash=IS_CRASH)
        def top_up(self, micros: int, bonus: int, is_crash: bool) -> Any:
            reference = self.reference()
            self._top_up(reference, micros, bonus, is_crash=is_crash)
            if is_crash:
                self._top_up(reference, micros, bonus, is_crash=False)
            self.total += micros + bonus
            return (reference, micros, bonus)

        def _top_up(self, reference: str, micros: int, bonus: int, *, is_crash: bool) -> None:
            self.transact(
                lambda session: credit.post_topup(
                    session,
                    self.tenant,
                    micros,
                    "Top-up",
                    reference=reference,
                    bonus_micros=bonus,
                    details={},
                ),
                is_crash=is_crash,
            )

        @rule(payment=payments)
        def replay_a_top_up(self, payment: tuple[str, int, int]) -> None:
            self._top_up(*payment, is_crash=False)

        @rule(payment=payments, post=st.sampled_from([credit.post_refund, credit.post_dispute]))
        def take_back(self, payment: tuple[str, int, int], post: Any) -> None:
            """A refund of one payment and its dispute are two things; each counts once."""
            reference, micros, _ = payment
            posted = self.transact(
                lambda session: post(
                    session, self.tenant, micros, "Back", reference=reference, details={}
                )
            )
            self.total -= micros if posted.is_new else 0

        @rule(micros=MICROS, is_free=st.booleans())
        def grant(self, micros: int, is_free: bool) -> None:
            self.transact(
                lambda session: service.grant(
                    session,
                    self.tenant,
                    micros,
                    "Grant",
                    bucket="free" if is_free else "purchased",
                )
            )
            self.total += micros

        @rule(micros=st.integers(-150_000, 150_000).filter(bool), is_crash=IS_CRASH)
        def correct(self, micros: int, is_crash: bool) -> None:
            reference = self.reference()
            self.transact(
                lambda session: service.adjust(
                    session,
                    self.tenant,
                    "correction",
                    micros,
                    "Wrong",
                    reference=reference,
                    details={},
                ),
                is_crash=is_crash,
            )
            self.total += 0 if is_crash else micros

        @rule(is_on=st.booleans())
        def switch_extra_usage(self, is_on: bool) -> None:
            self.transact(lambda session: repository.set_extra_usage(session, self.tenant, is_on))

        @rule(is_repeated=st.booleans(), is_crash=IS_CRASH)
        def begin_next_month(self, is_repeated: bool, is_crash: bool) -> None:
            before = self.run(account_of(shared.database, self.tenant))
            month = date(2026 + self.month // 12, self.month % 12 + 1, 1)

            def begin(session: AsyncSession) -> Awaitable[bool]:
                now = begins_at(month)
                return begin_month(session, self.tenant, month, invoice_prefix="INV", now=now)

            if is_crash:
                self.transact(begin, is_crash=True)
            assert self.transact(begin)
            if is_repeated:
                assert not self.transact(begin)
            self.month += 1
            self.total += MONTHLY - before.available.plan_micros
            after = self.run(account_of(shared.database, self.tenant))
            assert after.held == before.held, "a running call keeps what it holds"
            assert after.plan_micros == MONTHLY + before.held_plan_micros

        @rule(target=calls, hold=st.booleans())
        def reserve(self, hold: bool) -> Any:
            before = self.run(account_of(shared.database, self.tenant))
            call_id = self.run(new_call(shared.database, self.tenant))
            try:
                self.transact(
                    lambda session: service.reserve(
                        session, self.tenant, call_id, 30, RATE, hold=hold
                    )
                )
            except InsufficientCredits:
                assert before.spendable_micros < RATE // 2
                return multiple()
            assert before.spendable_micros >= RATE // 2
            return call_id

        @rule(call_id=calls, increments=INCREMENTS)
        def extend(self, call_id: UUID, increments: int) -> None:
            before = self.run(account_of(shared.database, self.tenant))
            self.transact(
                lambda session: service.extend(session, self.tenant, call_id, increments * 30, RATE)
            )
            after = self.run(account_of(shared.database, self.tenant))
            taken = after.held_micros - before.held_micros
            assert 0 <= taken <= max(0, before.spendable_micros)

        @rule(call_id=calls)
        def give_back(self, call_id: UUID) -> None:
            self._settling_expires(
                lambda session: service.empty_reserve(session, self.tenant, call_id), lambda _: 0
            )

        @rule(call_id=consumes(calls), increments=st.integers(0, 12), is_crash=IS_CRASH)
        def settle(self, call_id: UUID, increments: int, is_crash: bool) -> None:
            def settling(session: AsyncSession) -> Awaitable[service.Settlement]:
                return service.settle(
                    session, self.tenant, call_id, increments * 30, Tariff.flat(RATE), {}
                )

            if is_crash:
                self.transact(settling, is_crash=True)
            before = self.run(account_of(shared.database, self.tenant))

            def charge(settled: service.Settlement) -> int:
                held = before.held_micros
                assert settled.charge_micros <= held + max(0, before.spendable_micros)
                assert settled.charge_micros <= increments * RATE // 2
                return settled.charge_micros

            self._settling_expires(settling, charge)
            with pytest.raises(LookupError):
                self.transact(settling)

        def _settling_expires(
            self, work: Callable[[AsyncSession], Awaitable[Any]], charged: Callable[[Any], int]
        ) -> None:
            """The total falls by the charge, and by no more than what was held of plan credit."""
            before = self.run(account_of(shared.database, self.tenant))
            result = self.transact(work)
            after = self.run(account_of(shared.database, self.tenant))
            lost = before.buckets.total_micros - after.buckets.total_micros
            expired = lost - charged(result)
            assert 0 <= expired <= before.held_plan_micros
            self.total -= lost

        @invariant()
        def the_books_balance(self) -> None:
            self.run(assert_books_balance(shared.database))
            account = self.run(account_of(shared.database, self.tenant))
            assert account.buckets.total_micros == self.total
            assert account.plan_micros >= 0
            assert account.free_micros >= 0

    return Account


def test_any_sequence_keeps_the_books(postgres_url: str) -> None:
    with asyncio.Runner() as runner:
        database = Database(postgres_url, deadline_seconds=60)

        async def add_plan() -> None:
            async with database.system_session() as session:
                await session.execute(
                    text(
                        "INSERT INTO plans (id, display_name, monthly_credit_micros, byok_allowed)"
                        " VALUES ('machine', 'Machine', :micros, true)"
                    ),
                    {"micros": MONTHLY},
                )

        runner.run(add_plan())
        try:
            run_state_machine_as_test(
                machine_of(_Machine(runner, database)),
                settings=settings(
                    max_examples=12,
                    stateful_step_count=25,
                    deadline=None,
                    suppress_health_check=list(HealthCheck),
                ),
            )
        finally:
            runner.run(database.aclose())
