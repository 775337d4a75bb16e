"""Every query on payments. None commits.

Whoever changes a payment's state locks the tenant's account before the payment (``locking.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ARRAY, String, any_, literal, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts.models import User
from control_plane.identity.members.models import Membership
from control_plane.money.billing.models import BillingAccount
from control_plane.money.payments.models import (
    UNRESOLVED,
    AutoRecharge,
    Payment,
    PaymentKind,
    PaymentMethod,
    PaymentProfile,
    PaymentState,
    TopupPack,
)
from control_plane.platform.database import table_of
from control_plane.platform.tenancy.models import Tenant


async def find(session: AsyncSession, payment_id: UUID) -> Payment | None:
    """As the session sees it: a tenant's own, or any."""
    found: Payment | None = await session.scalar(select(Payment).where(Payment.id == payment_id))
    return found


async def locked(session: AsyncSession, payment_id: UUID) -> Payment:
    """A payment that exists, until the end of the transaction. Lock the account first."""
    found = await session.scalars(
        select(Payment)
        .where(Payment.id == payment_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    return found.one()


async def known_by(
    session: AsyncSession,
    gateway: str,
    *,
    payment_id: UUID | None = None,
    order_id: str | None = None,
    gateway_payment_id: str | None = None,
) -> Payment | None:
    """The payment that a gateway speaks of, by the first of these that is known."""
    by_order = Payment.gateway_order_id == order_id
    by_payment = Payment.gateway_payment_id == gateway_payment_id
    for value, condition in (
        (gateway_payment_id, by_payment),
        (payment_id, Payment.id == payment_id),
        (order_id, by_order),
    ):
        if value is None:
            continue
        found: Payment | None = await session.scalar(
            select(Payment).where(Payment.gateway == gateway, condition)
        )
        if found is not None:
            return found
    return None


async def due_for_a_check(session: AsyncSession, now: datetime, limit: int) -> Sequence[UUID]:
    """Unresolved payments of every tenant whose gateway has said nothing for a while."""
    found = await session.scalars(
        select(Payment.id)
        .where(Payment.state.in_(UNRESOLVED), Payment.next_check_at <= now)
        .order_by(Payment.next_check_at)
        .limit(limit)
    )
    return found.all()


async def captured_among(
    session: AsyncSession, gateway: str, gateway_payment_ids: Sequence[str]
) -> set[str]:
    """Which of a gateway's payments are known here as captured."""
    found = await session.scalars(
        select(Payment.gateway_payment_id).where(
            Payment.gateway == gateway,
            Payment.gateway_payment_id == any_(literal(list(gateway_payment_ids), ARRAY(String))),
            Payment.state == PaymentState.SUCCEEDED,
        )
    )
    return {each for each in found if each is not None}


async def recharge_in_flight(session: AsyncSession, tenant_id: UUID) -> UUID | None:
    found: UUID | None = await session.scalar(
        select(Payment.id).where(
            Payment.tenant_id == tenant_id,
            Payment.kind == PaymentKind.RECHARGE,
            Payment.state.in_(UNRESOLVED),
        )
    )
    return found


async def claim_recharge(
    session: AsyncSession,
    tenant_id: UUID,
    payment_id: UUID,
    available_micros: int,
    now: datetime,
) -> bool:
    """Add a recharge if the tenant's available credit is below its threshold, its automatic
    recharge is on, nothing makes it wait, and no other recharge is in flight.

    The account must be locked. The unique index ``ux_payments_recharge_in_flight`` holds whatever
    happens.
    """
    auto, method = AutoRecharge, PaymentMethod
    wanted = (
        select(
            literal(payment_id),
            auto.tenant_id,
            literal(PaymentKind.RECHARGE.value),
            literal(PaymentState.CLAIMED.value),
            method.gateway,
            literal(""),
            *(literal(0),) * 3,
            auto.pack_micros,
            literal(0),
            literal([], table_of(Payment).c.taxes.type),
            method.id,
            literal(now, table_of(Payment).c.next_check_at.type),
        )
        .select_from(auto)
        .join(
            method,
            (method.tenant_id == auto.tenant_id) & method.is_default & method.deleted_at.is_(None),
        )
        .where(
            auto.tenant_id == tenant_id,
            auto.enabled,
            auto.threshold_micros > available_micros,
            or_(auto.retry_at.is_(None), auto.retry_at <= now),
        )
    )
    added = await session.scalar(
        insert(Payment)
        .from_select(
            [
                *("id", "tenant_id", "kind", "state", "gateway", "currency"),
                *("subtotal_minor", "tax_minor", "total_minor", "credit_micros", "bonus_micros"),
                *("taxes", "payment_method_id", "next_check_at"),
            ],
            wanted,
        )
        .on_conflict_do_nothing()
        .returning(Payment.id)
    )
    return added is not None


async def tenants_below_their_threshold(
    session: AsyncSession, now: datetime, limit: int
) -> Sequence[UUID]:
    """Those for whom ``claim_recharge`` would add a recharge, although none of their calls lowers
    the credit now: they have just turned it on, or have waited after a decline."""
    account, auto, method = BillingAccount, AutoRecharge, PaymentMethod
    available = (
        account.plan_micros + account.free_micros + account.purchased_micros - account.held_micros
    )
    in_flight = (
        select(Payment.id)
        .where(
            Payment.tenant_id == auto.tenant_id,
            Payment.kind == PaymentKind.RECHARGE,
            Payment.state.in_(UNRESOLVED),
        )
        .exists()
    )
    found = await session.scalars(
        select(auto.tenant_id)
        .join(account, account.tenant_id == auto.tenant_id)
        .join(
            method,
            (method.tenant_id == auto.tenant_id) & method.is_default & method.deleted_at.is_(None),
        )
        .where(
            auto.enabled,
            account.is_active,
            available < auto.threshold_micros,
            or_(auto.retry_at.is_(None), auto.retry_at <= now),
            ~in_flight,
        )
        .limit(limit)
    )
    return found.all()


async def auto_recharge(
    session: AsyncSession, tenant_id: UUID, *, for_update: bool = False
) -> AutoRecharge | None:
    query = select(AutoRecharge).where(AutoRecharge.tenant_id == tenant_id)
    if for_update:
        query = query.with_for_update().execution_options(populate_existing=True)
    found: AutoRecharge | None = await session.scalar(query)
    return found


async def add_auto_recharge(session: AsyncSession, wanted: AutoRecharge) -> None:
    """Add the tenant's settings unless there are some."""
    await session.execute(
        insert(AutoRecharge)
        .values(
            tenant_id=wanted.tenant_id,
            enabled=wanted.enabled,
            pack_micros=wanted.pack_micros,
            threshold_micros=wanted.threshold_micros,
        )
        .on_conflict_do_nothing()
    )


async def profile(session: AsyncSession, tenant_id: UUID) -> PaymentProfile:
    """What is known of the tenant; empty, and not stored, if nothing is."""
    found = await session.scalar(
        select(PaymentProfile)
        .where(PaymentProfile.tenant_id == tenant_id)
        .execution_options(populate_existing=True)
    )
    return found or PaymentProfile(tenant_id=tenant_id)


async def note_in_profile(session: AsyncSession, tenant_id: UUID, **fields: str | None) -> None:
    """Set these fields of the tenant's profile."""
    if not fields:
        return
    await session.execute(
        insert(PaymentProfile)
        .values(tenant_id=tenant_id, **fields)
        .on_conflict_do_update(index_elements=[PaymentProfile.tenant_id], set_=fields)
    )


async def tenant_waiting_for_mandate(session: AsyncSession, customer_id: str) -> UUID | None:
    """The tenant that has begun a mandate with this customer of Razorpay, which has brought no
    method yet; ``None``: the mandate is another shop's, which has the same account at Razorpay.

    Razorpay has one customer for each mail address and phone number, so the tenants of one person
    may share it. Of these it is the one that has begun the newest mandate.
    """
    has_brought_a_method = (
        select(PaymentMethod.id)
        .where(
            PaymentMethod.tenant_id == Payment.tenant_id,
            PaymentMethod.gateway == Payment.gateway,
            PaymentMethod.created_at >= Payment.created_at,
        )
        .exists()
    )
    found: UUID | None = await session.scalar(
        select(Payment.tenant_id)
        .join(PaymentProfile, PaymentProfile.tenant_id == Payment.tenant_id)
        .where(
            PaymentProfile.razorpay_customer_id == customer_id,
            Payment.gateway == "razorpay",
            Payment.kind == PaymentKind.MANDATE,
            Payment.state.in_((*UNRESOLVED, PaymentState.SUCCEEDED)),
            ~has_brought_a_method,
        )
        .order_by(Payment.created_at.desc(), Payment.tenant_id)
        .limit(1)
    )
    return found


async def tenant_and_owner(session: AsyncSession, tenant_id: UUID) -> tuple[str, str | None] | None:
    """The tenant's name and the mail address of its first owner. Needs a system session."""
    owner = (
        select(User.email)
        .join(Membership, Membership.user_id == User.id)
        .where(Membership.tenant_id == tenant_id, Membership.role == "owner")
        .order_by(User.id)
        .limit(1)
        .scalar_subquery()
    )
    row = (
        await session.execute(select(Tenant.name, owner).where(Tenant.id == tenant_id))
    ).one_or_none()
    return None if row is None else (row[0], row[1])


async def methods(session: AsyncSession, tenant_id: UUID) -> Sequence[PaymentMethod]:
    """Those that were not deleted, the default one first, then the newest."""
    found = await session.scalars(
        select(PaymentMethod)
        .where(PaymentMethod.tenant_id == tenant_id, PaymentMethod.deleted_at.is_(None))
        .order_by(PaymentMethod.is_default.desc(), PaymentMethod.created_at.desc())
    )
    return found.all()


async def find_method(
    session: AsyncSession, tenant_id: UUID, method_id: UUID
) -> PaymentMethod | None:
    """One that was not deleted, locked."""
    found: PaymentMethod | None = await session.scalar(
        select(PaymentMethod)
        .where(
            PaymentMethod.tenant_id == tenant_id,
            PaymentMethod.id == method_id,
            PaymentMethod.deleted_at.is_(None),
        )
        .with_for_update()
    )
    return found


async def method_of_digest(
    session: AsyncSession, tenant_id: UUID, gateway: str, digest: bytes
) -> PaymentMethod | None:
    """Whether or not it was deleted."""
    found: PaymentMethod | None = await session.scalar(
        select(PaymentMethod).where(
            PaymentMethod.tenant_id == tenant_id,
            PaymentMethod.gateway == gateway,
            PaymentMethod.token_digest == digest,
        )
    )
    return found


async def tenants_of_digest(session: AsyncSession, gateway: str, digest: bytes) -> Sequence[UUID]:
    """The tenants that know the method, whether or not they have deleted it, in the order of their
    ids."""
    found = await session.scalars(
        select(PaymentMethod.tenant_id)
        .where(PaymentMethod.gateway == gateway, PaymentMethod.token_digest == digest)
        .order_by(PaymentMethod.tenant_id)
    )
    return found.all()


async def make_no_method_default(session: AsyncSession, tenant_id: UUID) -> None:
    await session.execute(
        update(PaymentMethod)
        .where(PaymentMethod.tenant_id == tenant_id, PaymentMethod.is_default)
        .values(is_default=False)
    )


async def packs(session: AsyncSession) -> Sequence[TopupPack]:
    """Those that are offered now."""
    found = await session.scalars(
        select(TopupPack)
        .where(TopupPack.withdrawn_at.is_(None))
        .order_by(TopupPack.sort_order, TopupPack.price_cents)
    )
    return found.all()


async def bonus_cents(session: AsyncSession, price_cents: int) -> int:
    """The bonus of the pack with this price; 0 for an amount that is no pack."""
    found: int | None = await session.scalar(
        select(TopupPack.bonus_cents).where(
            TopupPack.price_cents == price_cents, TopupPack.withdrawn_at.is_(None)
        )
    )
    return found or 0


async def add_pack(session: AsyncSession, pack: TopupPack) -> bool:
    """``False`` if there is one with this price. Needs a system session."""
    added = await session.scalar(
        insert(TopupPack)
        .values(
            id=pack.id,
            display_name=pack.display_name,
            price_cents=pack.price_cents,
            bonus_cents=pack.bonus_cents,
            sort_order=pack.sort_order,
        )
        .on_conflict_do_nothing()
        .returning(TopupPack.id)
    )
    return added is not None


async def find_pack(session: AsyncSession, pack_id: UUID) -> TopupPack | None:
    """One that is offered now, locked."""
    found: TopupPack | None = await session.scalar(
        select(TopupPack)
        .where(TopupPack.id == pack_id, TopupPack.withdrawn_at.is_(None))
        .with_for_update()
    )
    return found
