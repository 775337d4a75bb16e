"""What calls and operators do to credit: the ledger's own rules, many calls in a transaction as the
consumer of their facts does it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import date
from typing import NamedTuple
from uuid import UUID, uuid4

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.billing import repository, service
from control_plane.money.billing.errors import BalanceTooLow, InsufficientCredits
from control_plane.money.billing.locked_ahead import locked_ahead
from control_plane.money.billing.tariff import Tariff
from control_plane.money.plans.month import begins_at
from control_plane.money.plans.monthly_credit import begin_month
from control_plane.platform.database import Database
from tests.control_plane.money.any_sequence.steps import Step
from tests.control_plane.money.payments.mortal_database import Crash

RATE = 60_000
"""A minute, in micro-dollars: credit is scarce, and lasts for most calls."""
INCREMENT_SECONDS = 30
_MADE_TOGETHER = 256
_Work = Callable[[AsyncSession, bool], Awaitable[None]]
"""In a transaction; the second argument says whether it was committed before."""


class Call(NamedTuple):
    call_id: UUID
    tenant_id: UUID


class Callers:
    def __init__(self, database: Database, tenants: Sequence[UUID], invoice_prefix: str) -> None:
        self._database = database
        self._tenants = tenants
        self._invoice_prefix = invoice_prefix
        self._waiting: list[Call] = []
        self._running: list[Call] = []
        self._months = dict.fromkeys(tenants, 0)

    async def begin(self, step: Step) -> int:
        if len(self._waiting) < step.how_many:
            await self._make_calls()
        calls = [self._waiting.pop() for _ in range(step.how_many)]
        begun: list[Call] = []

        async def reserve(session: AsyncSession, was_done: bool) -> None:
            if was_done:
                return
            begun.clear()
            for number, call in enumerate(calls):
                with suppress(InsufficientCredits):
                    await service.reserve(
                        session,
                        call.tenant_id,
                        call.call_id,
                        INCREMENT_SECONDS,
                        RATE,
                        hold=(step.amount + number) % 4 != 0,
                    )
                    begun.append(call)

        await self._transact(reserve, step)
        self._running += begun
        return step.how_many

    async def extend(self, step: Step) -> int:
        async def extend(session: AsyncSession, call: Call, number: int) -> None:
            seconds = ((step.amount + number) % 12 + 1) * INCREMENT_SECONDS
            await service.extend(session, call.tenant_id, call.call_id, seconds, RATE)

        return await self._with_calls(self._chosen(step), step, extend)

    async def give_back(self, step: Step) -> int:
        async def give_back(session: AsyncSession, call: Call, number: int) -> None:
            await service.empty_reserve(session, call.tenant_id, call.call_id)

        return await self._with_calls(self._chosen(step), step, give_back)

    async def settle(self, step: Step) -> int:
        """The charge is at most what the call held and what nobody held."""
        calls = self._chosen(step)

        async def settle(session: AsyncSession, call: Call, number: int) -> None:
            ahead = locked_ahead(session)
            if call.call_id not in ahead.reserves:
                raise LookupError
            held = ahead.reserves[call.call_id].held_micros
            free = max(0, ahead.accounts[call.tenant_id].spendable_micros)
            increments = (step.amount + number) % 13
            settled = await service.settle(
                session,
                call.tenant_id,
                call.call_id,
                increments * INCREMENT_SECONDS,
                Tariff.flat(RATE),
                {},
            )
            assert 0 <= settled.charge_micros <= min(held + free, increments * RATE // 2)

        done = await self._with_calls(calls, step, settle)
        self._running = [call for call in self._running if call not in set(calls)]
        return done

    async def settle_all(self, step: Step) -> None:
        while self._running:
            await self.settle(step._replace(how_many=64, dies_at=0))

    async def grant(self, step: Step) -> int:
        reference = f"gift:{uuid4()}"

        async def grant(session: AsyncSession, was_done: bool) -> None:
            if not was_done:
                await service.grant(
                    session,
                    self._tenant(step),
                    step.amount * 50_001,
                    "Gift",
                    bucket="free" if step.how_many % 2 else "purchased",
                    reference=reference,
                )

        await self._transact(grant, step)
        return 1

    async def correct(self, step: Step) -> int:
        micros = (step.amount - 128) * 40_003

        async def correct(session: AsyncSession, was_done: bool) -> None:
            if micros and not was_done:
                await service.adjust(
                    session,
                    self._tenant(step),
                    "correction",
                    micros,
                    "Wrong",
                    reference=f"correction:{uuid4()}",
                    details={},
                )

        await self._transact(correct, step)
        return 1

    async def debit(self, step: Step) -> int:
        async def debit(session: AsyncSession, was_done: bool) -> None:
            if not was_done:
                with suppress(BalanceTooLow):
                    await service.adjust(
                        session,
                        self._tenant(step),
                        "debit",
                        -1 - step.amount * 30_007,
                        "Debit",
                        reference=f"debit:{uuid4()}",
                        details={},
                    )

        await self._transact(debit, step)
        return 1

    async def begin_month(self, step: Step) -> int:
        """What calls hold stays held."""
        tenant_id = self._tenant(step)
        number = self._months[tenant_id] = self._months[tenant_id] + 1
        month = date(2026 + number // 12, number % 12 + 1, 1)

        async def begin(session: AsyncSession, was_done: bool) -> None:
            account = await repository.locked_account(session, tenant_id)
            held = account.held
            has_begun = await begin_month(
                session,
                tenant_id,
                month,
                invoice_prefix=self._invoice_prefix,
                now=begins_at(month),
            )
            assert has_begun is not was_done
            assert account.held == held

        await self._transact(begin, step)
        return 1

    async def _with_calls(
        self,
        calls: Sequence[Call],
        step: Step,
        act: Callable[[AsyncSession, Call, int], Awaitable[None]],
    ) -> int:
        async def act_on_all(session: AsyncSession, was_done: bool) -> None:
            await repository.lock_ahead(
                session, {call.tenant_id for call in calls}, {call.call_id for call in calls}
            )
            for number, call in enumerate(calls):
                try:
                    await act(session, call, number)
                except LookupError:
                    assert was_done, "only what was settled has no reserve"

        if calls:
            await self._transact(act_on_all, step)
        return len(calls)

    async def _transact(self, work: _Work, step: Step) -> None:
        """As often as the process dies and the work is delivered again."""
        if step.dies_at % 2 == 1:
            with suppress(Crash):
                async with self._database.system_session() as session:
                    await work(session, False)
                    await session.flush()
                    raise Crash
        async with self._database.system_session() as session:
            await work(session, False)
        if step.dies_at and step.dies_at % 2 == 0:
            async with self._database.system_session() as session:
                await work(session, True)

    def _chosen(self, step: Step) -> list[Call]:
        if not self._running:
            return []
        first = step.who % len(self._running)
        return (self._running[first:] + self._running[:first])[: step.how_many]

    def _tenant(self, step: Step) -> UUID:
        return self._tenants[step.who % len(self._tenants)]

    async def _make_calls(self) -> None:
        made = [
            Call(uuid4(), self._tenants[number % len(self._tenants)])
            for number in range(_MADE_TOGETHER)
        ]
        async with self._database.system_session() as session:
            await session.execute(
                text(
                    "INSERT INTO calls (id, tenant_id, agent_id, room_name, status, plan)"
                    " SELECT id, tenant_id, id, 'room', 'connecting', '{}'"
                    " FROM unnest(CAST(:ids AS uuid[]), CAST(:tenants AS uuid[]))"
                    " AS made (id, tenant_id)"
                ),
                {
                    "ids": [call.call_id for call in made],
                    "tenants": [call.tenant_id for call in made],
                },
            )
        self._waiting = made + self._waiting
