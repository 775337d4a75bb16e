"""A few tenants to whom any sequence of steps happens, and what must hold of them all the time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from itertools import count
from typing import Self
from uuid import UUID

from sqlalchemy import func, select

from control_plane.money.billing.models import LedgerEntry
from control_plane.money.invoices.models import Invoice, InvoiceCounter
from control_plane.money.invoices.tax import share
from control_plane.money.payments.models import UNRESOLVED, Payment
from tests.control_plane.money.any_sequence.callers import Callers
from tests.control_plane.money.any_sequence.payers import Payers, captured, went_back
from tests.control_plane.money.any_sequence.shop import (
    BONUS_CENTS,
    PACK_CENTS,
    Shop,
)
from tests.control_plane.money.any_sequence.steps import Step, What
from tests.control_plane.money.billing.books import assert_books_balance
from tests.control_plane.money.payments.paying import USD_TO_INR

TENANTS = 4
LOOKED_AT_EVERY = 250
"""Operations, after which the books are checked."""
MICROS_PER_CENT = 10_000
_numbers = count(1)


class Market:
    def __init__(self, shop: Shop, tenants: list[UUID]) -> None:
        self._shop = shop
        self._tenants = tenants
        self._prefix = f"M{next(_numbers)}"
        settings = shop.settings.model_copy(update={"invoice_prefix": self._prefix})
        self._callers = callers = Callers(shop.database, tenants, self._prefix)
        self._payers = payers = Payers(shop, settings, tenants)
        self._acts: Mapping[What, Callable[[Step], Awaitable[int]]] = {
            "begin_calls": callers.begin,
            "extend_calls": callers.extend,
            "give_back": callers.give_back,
            "settle_calls": callers.settle,
            "grant": callers.grant,
            "correct": callers.correct,
            "debit": callers.debit,
            "begin_month": callers.begin_month,
            "switch": payers.switch,
            "recharge": payers.recharge,
            "checkout": payers.checkout,
            "pay": payers.pay,
            "refund": payers.refund,
            "fail_refund": payers.fail_refund,
            "dispute": payers.dispute,
            "win_dispute": payers.win_dispute,
            "events_again": payers.events_again,
            "reconcile": payers.reconcile,
            "reconcile_reversals": payers.reconcile_reversals,
            "reconcile_captures": payers.reconcile_captures,
        }

    @classmethod
    async def opened(cls, shop: Shop) -> Self:
        return cls(shop, await shop.open_tenants(TENANTS))

    async def live(self, steps: Iterable[Step]) -> int:
        """Let the steps happen, then let everything come to rest, and check the books all along.

        Returns:
            How many operations there were.
        """
        operations = looked_at = 0
        for step in steps:
            operations += await self._acts[step.what](step)
            if operations - looked_at >= LOOKED_AT_EVERY:
                looked_at = operations
                await assert_books_balance(self._shop.database, self._tenants)
                await self._assert_one_recharge_in_flight()
                await self._assert_numbers_have_no_gaps()
                await self._assert_months_are_invoiced()
        await self._payers.come_to_rest()
        await self._assert_captured_is_posted()
        await self._payers.hear_everything_again()
        await self._callers.settle_all(Step("settle_calls", 32, 0, 7, 0, "succeeds", "after"))
        await assert_books_balance(self._shop.database, self._tenants)
        await self._assert_numbers_have_no_gaps()
        await self._assert_months_are_invoiced()
        await self._assert_captured_is_posted()
        return operations

    async def _assert_one_recharge_in_flight(self) -> None:
        async with self._shop.database.system_session() as session:
            most = await session.scalars(
                select(func.count())
                .where(
                    Payment.tenant_id.in_(self._tenants),
                    Payment.kind == "recharge",
                    Payment.state.in_(UNRESOLVED),
                )
                .group_by(Payment.tenant_id)
            )
            assert all(each == 1 for each in most)

    async def _assert_numbers_have_no_gaps(self) -> None:
        async with self._shop.database.system_session() as session:
            counters = {
                counter.year: counter.last_number
                for counter in await session.scalars(
                    select(InvoiceCounter).where(InvoiceCounter.prefix == self._prefix)
                )
            }
            numbers = sorted(
                await session.scalars(
                    select(Invoice.invoice_number).where(Invoice.tenant_id.in_(self._tenants))
                )
            )
        assert numbers == [
            f"{self._prefix}-{year}-{number:08d}"
            for year in sorted(counters)
            for number in range(1, counters[year] + 1)
        ]

    async def _assert_months_are_invoiced(self) -> None:
        """Each grant of a plan's credit has its invoice, and there is no other one of this kind."""
        async with self._shop.database.system_session() as session:
            granted = await session.execute(
                select(LedgerEntry.tenant_id, LedgerEntry.id).where(
                    LedgerEntry.tenant_id.in_(self._tenants),
                    LedgerEntry.reference.startswith("plan_credit:"),
                )
            )
            invoiced = await session.execute(
                select(Invoice.tenant_id, Invoice.payment_event_id).where(
                    Invoice.tenant_id.in_(self._tenants), Invoice.kind == "plan_cycle"
                )
            )
            assert sorted(map(tuple, invoiced)) == sorted(map(tuple, granted))

    async def _assert_captured_is_posted(self) -> None:
        """By the gateways' own books: what they captured and gave back is in ours, on paper and as
        credit, and nothing else is."""
        for gateway, wire, micros in (
            ("stripe", self._shop.stripe, MICROS_PER_CENT),
            ("razorpay", self._shop.razorpay, MICROS_PER_CENT // USD_TO_INR),
        ):
            has, back = captured(wire), went_back(wire)
            payments, invoiced = await self._kept(gateway)
            assert {each.gateway_payment_id: each.total_minor for each in payments} == has
            assert invoiced == {each.id: each.total_minor for each in payments}
            net = await self._net_credit()
            for payment in payments:
                assert payment.gateway_payment_id is not None
                total = payment.total_minor
                credit = total * micros
                if credit == PACK_CENTS * MICROS_PER_CENT:
                    credit += BONUS_CENTS * MICROS_PER_CENT
                rest = credit - share(credit, back[payment.gateway_payment_id], total)
                # Parts that went back and came again are each rounded.
                assert abs(net[str(payment.id)] - rest) <= 8, (payment.id, net, rest)

    async def _kept(self, gateway: str) -> tuple[list[Payment], dict[UUID, int]]:
        async with self._shop.database.system_session() as session:
            payments = await session.scalars(
                select(Payment).where(
                    Payment.tenant_id.in_(self._tenants),
                    Payment.gateway == gateway,
                    Payment.state == "succeeded",
                )
            )
            invoices = await session.execute(
                select(Invoice.payment_event_id, Invoice.total_minor).where(
                    Invoice.tenant_id.in_(self._tenants),
                    Invoice.gateway == gateway,
                    Invoice.kind == "topup",
                )
            )
            return list(payments), {row[0]: row[1] for row in invoices}

    async def _net_credit(self) -> dict[str, int]:
        """What each payment has brought, less what was taken back."""
        payment_id = LedgerEntry.details["payment_id"].astext
        async with self._shop.database.system_session() as session:
            rows = await session.execute(
                select(payment_id, func.sum(LedgerEntry.purchased_micros))
                .where(LedgerEntry.tenant_id.in_(self._tenants), payment_id.is_not(None))
                .group_by(payment_id)
            )
            return {row[0]: int(row[1]) for row in rows}
