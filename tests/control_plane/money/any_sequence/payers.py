"""What customers, banks, gateways and the jobs of payments do, through the real SDKs."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, TypeVar
from uuid import UUID, uuid4

from control_plane.money.billing import repository as accounts
from control_plane.money.payments import (
    checkout,
    recharge_settings,
    recharging,
    reconciling,
)
from control_plane.money.payments.checkout import TopUp
from control_plane.money.payments.gateway_events.intake import ReceivedEvent, receive
from control_plane.money.payments.gateways.signatures import (
    is_signed_by_razorpay,
    is_signed_by_stripe,
)
from control_plane.money.payments.missed_captures import post_missed_captures
from control_plane.money.payments.reconciling import LOST_AFTER
from control_plane.money.payments.reversals.reconciling import reconcile_reversals
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.money.any_sequence.shop import Shop
from tests.control_plane.money.any_sequence.steps import Step
from tests.control_plane.money.payments.mortal_database import Crash, MortalDatabase
from tests.stand_ins.payment_outcomes import ChargeOutcome
from tests.stand_ins.razorpay_wire import RazorpayWire
from tests.stand_ins.stripe_wire import StripeWire

_Found = TypeVar("_Found")
_STEP_TAKES = timedelta(minutes=2)
"""All steps are done before a checkout expires."""


class Payers:
    """
    Args:
        settings: with an invoice prefix of its own.
    """

    def __init__(self, shop: Shop, settings: ControlPlaneSettings, tenants: Sequence[UUID]) -> None:
        self._shop = shop
        self._settings = settings
        self._tenants = tenants
        self._checkouts: set[str] = set()
        """Our payments that a customer can pay, as the gateways know them."""
        self._clock = timedelta()
        self._event_dies_at = 0
        for wire in (shop.stripe, shop.razorpay):
            wire.forget()
            wire.events.pause_seconds = 0
            wire.hangs_up = True
        shop.stripe.events.deliver = self._deliver_from_stripe
        shop.razorpay.events.deliver = self._deliver_from_razorpay

    async def recharge(self, step: Step) -> int:
        with self._dying(step) as database:
            await recharging.recharge(
                database, self._settings, self._shop.gateways, self._tenant(step), self._now
            )
        await self._reported()
        return 1

    async def checkout(self, step: Step) -> int:
        """Every other customer whose checkout died tries again with the same key."""
        payment_id = uuid4()
        self._checkouts.add(str(payment_id))
        with self._dying(step) as database:
            await self._begin_checkout(database, payment_id, step)
            return 1
        if step.how_many % 2:
            await self._begin_checkout(self._shop.database, payment_id, step)
        return 1

    async def _begin_checkout(self, database: Database, payment_id: UUID, step: Step) -> None:
        shop, tenant_id = self._shop, self._tenant(step)
        usd = Decimal(20 if step.amount % 2 else step.amount + 1)
        if self._is_indian(step) and step.amount % 3 == 0:
            await checkout.begin_mandate(
                database,
                self._settings,
                shop.gateways,
                tenant_id,
                payment_id,
                first_charge_usd=usd,
                max_amount_usd=usd * 2,
                contact="+919876543210",
                method=None,
                now=self._now,
            )
            return
        await checkout.begin_checkout(
            database,
            self._settings,
            shop.gateways,
            tenant_id,
            payment_id,
            TopUp(usd, save_card=step.amount % 5 == 0),
            self._now,
        )

    async def pay(self, step: Step) -> int:
        stripe, razorpay = self._shop.stripe, self._shop.razorpay
        with self._reporting(step):
            if self._is_indian(step):
                orders = [
                    order["id"]
                    for order in razorpay.orders.values()
                    if order["status"] == "created" and order["receipt"] in self._checkouts
                ]
                for order_id in _one_of(orders, step):
                    await razorpay.customer_pays(order_id)
            else:
                sessions = [each["id"] for each in stripe.sessions.values() if each["url"]]
                opened = [each for each in sessions if stripe.sessions[each]["status"] == "open"]
                for session_id in _one_of(opened, step):
                    await stripe.customer_pays(session_id)
        return 1

    async def refund(self, step: Step) -> int:
        wire = self._wire(step)
        with self._reporting(step):
            for gateway_id, left in _one_of(self._refundable(wire), step):
                await wire.refund(gateway_id, min(left, 1 + step.amount * left // 200))
        return 1

    async def fail_refund(self, step: Step) -> int:
        wire = self._wire(step)
        with self._reporting(step):
            done = [each for each in wire.refunds.values() if each["status"] != "failed"]
            for refund in _one_of(done, step):
                await wire.fail_refund(refund)
        return 1

    async def dispute(self, step: Step) -> int:
        wire = self._wire(step)
        with self._reporting(step):
            whole = [
                gateway_id
                for gateway_id, left in self._refundable(wire)
                if left == captured(wire)[gateway_id] and not _reversals_of(wire, gateway_id)
            ]
            for gateway_id in _one_of(whole, step):
                await wire.dispute(gateway_id)
        return 1

    async def win_dispute(self, step: Step) -> int:
        wire = self._wire(step)
        with self._reporting(step):
            lost = [each for each in wire.disputes.values() if each["status"] != "won"]
            for dispute in _one_of(lost, step):
                await wire.win(dispute)
        return 1

    async def events_again(self, step: Step) -> int:
        """The newest ones, in their order or the other way round."""
        wire = self._wire(step)
        newest = wire.events.sent[-step.how_many :]
        with self._reporting(step):
            for event_id, body in newest if step.amount % 2 else newest[::-1]:
                await wire.events.send(event_id, body)
        return len(newest)

    async def reconcile(self, step: Step) -> int:
        self._clock += LOST_AFTER
        with self._dying(step) as database:
            await reconciling.reconcile(
                database, self._settings, self._shop.gateways, lambda: self._now
            )
        await self._reported()
        return 1

    async def reconcile_reversals(self, step: Step) -> int:
        with self._dying(step) as database:
            await reconcile_reversals(database, self._settings, self._shop.gateways, self._now)
        return 1

    async def reconcile_captures(self, step: Step) -> int:
        with self._dying(step) as database:
            await post_missed_captures(database, self._settings, self._shop.gateways, self._now)
        return 1

    async def switch(self, step: Step) -> int:
        tenant_id = self._tenant(step)
        async with self._shop.database.system_session() as session:
            await recharge_settings.change(
                session, tenant_id, enabled=step.amount % 4 != 0, pack_usd=None, threshold_usd=None
            )
            await accounts.set_extra_usage(session, tenant_id, step.how_many % 4 != 0)
        return 1

    async def come_to_rest(self) -> None:
        """No process dies any more, and the jobs ask the gateways about everything that is open."""
        self._event_dies_at = 0
        self._shop.stripe.charges.planned = [ChargeOutcome("declines")]
        self._shop.razorpay.charges.planned = [ChargeOutcome("declines")]
        shop = self._shop
        for _ in range(5):
            self._clock += LOST_AFTER + timedelta(hours=6)
            await reconciling.reconcile(
                shop.database, self._settings, shop.gateways, lambda: self._now
            )
            await self._reported()
        await reconcile_reversals(shop.database, self._settings, shop.gateways, self._now)

    async def hear_everything_again(self) -> None:
        for wire in (self._shop.stripe, self._shop.razorpay):
            await wire.events.resend_all()

    @property
    def _now(self) -> datetime:
        return datetime.now(UTC) + self._clock

    def _tenant(self, step: Step) -> UUID:
        return self._tenants[step.who % len(self._tenants)]

    def _is_indian(self, step: Step) -> bool:
        return step.who % len(self._tenants) % 2 == 1

    def _wire(self, step: Step) -> StripeWire | RazorpayWire:
        return self._shop.razorpay if self._is_indian(step) else self._shop.stripe

    @contextmanager
    def _dying(self, step: Step) -> Iterator[Database]:
        """A process with this database, which may die, while gateways behave as they may."""
        self._clock += _STEP_TAKES
        for wire in (self._shop.stripe, self._shop.razorpay):
            wire.charges.planned = [ChargeOutcome(step.charge, reporting=step.reporting)]
        database = self._shop.database
        with suppress(Crash):
            yield MortalDatabase(database, step.dies_at) if step.dies_at else database

    @contextmanager
    def _reporting(self, step: Step) -> Iterator[None]:
        """Events of what happens at a gateway; the process that gets the first one may die."""
        self._wire(step).reporting = step.reporting
        self._event_dies_at = step.dies_at
        yield
        self._event_dies_at = 0

    async def _reported(self) -> None:
        await self._shop.stripe.reported()
        await self._shop.razorpay.reported()

    def _refundable(self, wire: StripeWire | RazorpayWire) -> list[tuple[str, int]]:
        """Payments that were not disputed, and what is left of each."""
        found = []
        for gateway_id, total in captured(wire).items():
            reversals = _reversals_of(wire, gateway_id)
            left = total - sum(each["amount"] for each in reversals)
            if left > 0:
                found.append((gateway_id, left))
        return found

    async def _deliver_from_stripe(self, body: bytes, headers: dict[str, str]) -> int:
        secret = self._settings.stripe_webhook_secret
        assert secret is not None
        assert is_signed_by_stripe(body, headers["Stripe-Signature"], secret, time.time())
        event = json.loads(body)
        return await self._receive(
            ReceivedEvent("stripe", event["id"], event["type"], body.decode(), event)
        )

    async def _deliver_from_razorpay(self, body: bytes, headers: dict[str, str]) -> int:
        secret = self._settings.razorpay_webhook_secret
        assert secret is not None
        assert is_signed_by_razorpay(body, headers["X-Razorpay-Signature"], secret)
        event = json.loads(body)
        return await self._receive(
            ReceivedEvent(
                "razorpay", headers["x-razorpay-event-id"], event["event"], body.decode(), event
            )
        )

    async def _receive(self, event: ReceivedEvent) -> int:
        database: Database = self._shop.database
        if self._event_dies_at:
            database = MortalDatabase(database, self._event_dies_at % 2 + 1)
            self._event_dies_at = 0
        try:
            await receive(database, self._settings, event, self._now)
        except Crash:
            return 500
        return 200


def captured(wire: StripeWire | RazorpayWire) -> dict[str, int]:
    """The gateway's payments whose money it has, in minor units."""
    payments = wire.intents if isinstance(wire, StripeWire) else wire.payments
    return {
        each["id"]: each["amount"]
        for each in payments.values()
        if each["status"] in ("succeeded", "captured")
    }


def went_back(wire: StripeWire | RazorpayWire) -> dict[str, int]:
    """What of each payment is not there any more."""
    return {
        gateway_id: sum(each["amount"] for each in _reversals_of(wire, gateway_id))
        for gateway_id in captured(wire)
    }


def _reversals_of(wire: StripeWire | RazorpayWire, gateway_id: str) -> list[dict[str, Any]]:
    of_payment = "payment_intent" if isinstance(wire, StripeWire) else "payment_id"
    return [
        each
        for each in (*wire.refunds.values(), *wire.disputes.values())
        if each[of_payment] == gateway_id and each["status"] not in ("failed", "won")
    ]


def _one_of(found: Sequence[_Found], step: Step) -> Sequence[_Found]:
    """One, or none if there is none."""
    return found[step.who // 4 % len(found) :][:1] if found else ()
