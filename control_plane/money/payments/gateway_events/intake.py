"""What gateways report: kept once, then applied. Events come twice, late and out of order."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.payments import methods, repository
from control_plane.money.payments.gateway_events import repository as events
from control_plane.money.payments.gateways.fields import MissingField
from control_plane.money.payments.gateways.gateway import (
    Captured,
    Disputed,
    DisputePartlyWon,
    DisputeWon,
    GatewayFact,
    MandateConfirmed,
    MandateEnded,
    PaymentReport,
    Refunded,
    RefundReversed,
    ReversalReport,
)
from control_plane.money.payments.gateways.razorpay_events import read_razorpay_event
from control_plane.money.payments.gateways.stripe_events import read_stripe_event
from control_plane.money.payments.locking import lock_account
from control_plane.money.payments.reversals import reversing
from control_plane.money.payments.settling import settle
from control_plane.platform.database import Database, storable
from control_plane.platform.settings import ControlPlaneSettings, GatewayName

_READERS: Mapping[str, Callable[[Mapping[str, Any]], GatewayFact | None]] = {
    "stripe": read_stripe_event,
    "razorpay": read_razorpay_event,
}
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class ReceivedEvent:
    """An event whose signature is right."""

    gateway: GatewayName
    event_id: str
    event_type: str
    body: str
    document: Mapping[str, Any]


@dataclass(frozen=True)
class Outcome:
    word: Literal["applied", "ignored", "waiting"]
    waits_for: str | None = None


_APPLIED, _IGNORED = Outcome("applied"), Outcome("ignored")


async def receive(
    database: Database, settings: ControlPlaneSettings, event: ReceivedEvent, now: datetime
) -> None:
    """Keep and apply an event, in one transaction. A second delivery changes nothing.

    Raises:
        DatabaseUnavailable: PostgreSQL is down. The gateway sends the event again.
    """
    async with database.system_session() as session:
        kept_id = await events.keep(
            session,
            event.gateway,
            storable(event.event_id),
            storable(event.event_type),
            storable(event.body),
        )
        if kept_id is None:
            return
        outcome = await _apply(session, settings, event.gateway, event.document, now)
        await events.note_outcome(session, kept_id, outcome.word, outcome.waits_for)


async def apply_waiting(
    session: AsyncSession,
    settings: ControlPlaneSettings,
    gateway: str,
    gateway_id: str,
    now: datetime,
) -> None:
    """Apply the events that came before what they speak of."""
    for event in await events.waiting_for(session, gateway, gateway_id):
        outcome = await _apply(session, settings, gateway, json.loads(event.body), now)
        event.outcome, event.waits_for = outcome.word, outcome.waits_for
        await session.flush()


async def _apply(
    session: AsyncSession,
    settings: ControlPlaneSettings,
    gateway: str,
    document: Mapping[str, Any],
    now: datetime,
) -> Outcome:
    try:
        fact = _READERS[gateway](document)
    except MissingField as error:
        _log.error("gateway_event_not_understood", gateway=gateway, missing=str(error))
        return _IGNORED
    if fact is None:
        return _IGNORED
    match fact.report:
        case (
            Refunded() | Disputed() | RefundReversed() | DisputeWon() | DisputePartlyWon()
        ) as report:
            waits_for = await apply_reversal(session, settings, gateway, report, now)
            return _APPLIED if waits_for is None else Outcome("waiting", waits_for)
        case MandateConfirmed() | MandateEnded() as report:
            return await _apply_to_mandate(session, settings, gateway, report, now)
        case report:
            is_ours = await apply_to_payment(session, settings, gateway, fact, report, now)
            return _APPLIED if is_ours else _IGNORED


async def apply_to_payment(
    session: AsyncSession,
    settings: ControlPlaneSettings,
    gateway: str,
    fact: GatewayFact,
    report: PaymentReport,
    now: datetime,
) -> bool:
    """Settle the payment that a fact is about. Needs a system session.

    Args:
        report: that of ``fact``.

    Returns:
        ``False`` if it is about none of ours.
    """
    payment = await repository.known_by(
        session,
        gateway,
        payment_id=fact.payment_id,
        order_id=fact.order_id,
        gateway_payment_id=getattr(report, "gateway_payment_id", None),
    )
    if payment is None:
        return False
    await apply_report(session, settings, payment.id, report, now)
    return True


async def apply_report(
    session: AsyncSession,
    settings: ControlPlaneSettings,
    payment_id: UUID,
    report: PaymentReport,
    now: datetime,
) -> None:
    """Settle a payment, and apply the events that waited for it. Needs a system session."""
    payment = await settle(session, settings, payment_id, report, now)
    if isinstance(report, Captured):
        await apply_waiting(session, settings, payment.gateway, report.gateway_payment_id, now)


async def apply_reversal(
    session: AsyncSession,
    settings: ControlPlaneSettings,
    gateway: str,
    report: ReversalReport,
    now: datetime,
) -> str | None:
    """Post what went back or came back, and apply the events that waited for it.

    Returns:
        The gateway's id of what has to be known before; ``None``: it is posted.
    """
    if isinstance(report, DisputePartlyWon):
        waits_for = await apply_reversal(session, settings, gateway, report.kept, now)
        if waits_for is not None:
            return waits_for
    if isinstance(report, (Refunded, Disputed)):
        prefix = settings.invoice_prefix
        if not await reversing.take_back(session, gateway, report, prefix=prefix, now=now):
            return report.gateway_payment_id
        await apply_waiting(session, settings, gateway, reversing.id_of(report), now)
    elif not await reversing.give_back(session, gateway, report, now):
        return reversing.id_of(report)
    return None


async def _apply_to_mandate(
    session: AsyncSession,
    settings: ControlPlaneSettings,
    gateway: str,
    report: MandateConfirmed | MandateEnded,
    now: datetime,
) -> Outcome:
    """The token says whose it is, if a payment has brought it before. The customer may not, because
    tenants may share it, and other shops."""
    token = report.method.token if isinstance(report, MandateConfirmed) else report.token
    digest = methods.token_digest(token)
    known = await repository.tenants_of_digest(session, gateway, digest)
    if isinstance(report, MandateConfirmed):
        if known:
            return _APPLIED
        tenant_id = await repository.tenant_waiting_for_mandate(session, report.customer_id)
        if tenant_id is None:
            return _IGNORED
        await lock_account(session, tenant_id)
        await methods.save(session, settings.sealer, tenant_id, gateway, report.method)
        return _APPLIED
    outcome = _IGNORED
    for tenant_id in known:
        await lock_account(session, tenant_id)
        method = await repository.method_of_digest(session, tenant_id, gateway, digest)
        if method is not None and method.deleted_at is None:
            await methods.end(session, method, now)
            outcome = _APPLIED
    return outcome
