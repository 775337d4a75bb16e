"""Tables of payments."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base


class PaymentKind(StrEnum):
    CHECKOUT = "checkout"
    RECHARGE = "recharge"
    MANDATE = "mandate"
    """The first charge of a mandate, which registers it."""


class PaymentState(StrEnum):
    CLAIMED = "claimed"
    """Written down. Nobody knows whether the gateway has heard of it."""
    OPEN = "open"
    """The gateway has it, and the customer or the bank has to act."""
    SUCCEEDED = "succeeded"
    """The gateway has captured the money, and the credit is posted. It stays like this."""
    FAILED = "failed"
    EXPIRED = "expired"


UNRESOLVED = (PaymentState.CLAIMED, PaymentState.OPEN)


class TopupPack(Base):
    """An amount that tenants are offered. What it gives never changes: it is withdrawn, and another
    one is added."""

    __tablename__ = "topup_packs"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    display_name: Mapped[str]
    price_cents: Mapped[int]
    bonus_cents: Mapped[int]
    sort_order: Mapped[int]
    withdrawn_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class PaymentProfile(Base):
    """Who a tenant is to the gateways and to the tax office."""

    __tablename__ = "payment_profiles"

    tenant_id: Mapped[UUID] = mapped_column(primary_key=True)
    billing_country: Mapped[str | None]
    """ISO 3166, two letters."""
    tax_id: Mapped[str | None]
    preferred_gateway: Mapped[str | None]
    billing_phone: Mapped[str | None]
    stripe_customer_id: Mapped[str | None]
    razorpay_customer_id: Mapped[str | None]


class PaymentMethod(Base):
    """A card or a UPI mandate that can be charged while nobody is there. Rows are kept after they
    are deleted, because payments name them."""

    __tablename__ = "payment_methods"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant_id: Mapped[UUID]
    gateway: Mapped[str]
    sealed_token: Mapped[str]
    """What the gateway charges, encrypted."""
    token_digest: Mapped[bytes]
    """Tells whether a token is known."""
    method_type: Mapped[str]
    upi_vpa: Mapped[str | None]
    card_brand: Mapped[str | None]
    card_last4: Mapped[str | None]
    card_country: Mapped[str | None]
    max_amount_minor: Mapped[int | None]
    """The most that one charge may take, in the minor units of the gateway's currency."""
    is_default: Mapped[bool]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    deleted_at: Mapped[datetime | None]


class Payment(Base):
    """One attempt to get money from a tenant. Its id is the idempotency key at the gateway, and
    stands in the gateway's own records of it."""

    __tablename__ = "payments"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant_id: Mapped[UUID]
    kind: Mapped[str]
    state: Mapped[str] = mapped_column(default=PaymentState.CLAIMED)
    gateway: Mapped[str]
    currency: Mapped[str]
    subtotal_minor: Mapped[int]
    tax_minor: Mapped[int]
    total_minor: Mapped[int]
    """What the gateway charges, in minor units of ``currency``."""
    credit_micros: Mapped[int]
    bonus_micros: Mapped[int]
    taxes: Mapped[list[dict[str, Any]]] = mapped_column(JSONB)
    billing_country: Mapped[str | None]
    tax_id: Mapped[str | None]
    save_card: Mapped[bool] = mapped_column(default=False)
    mandate_max_minor: Mapped[int | None]
    payment_method_id: Mapped[UUID | None]
    gateway_customer_id: Mapped[str | None]
    """Whom the gateway was last asked to charge. ``None`` of payments of earlier releases."""
    gateway_order_id: Mapped[str | None]
    """Stripe's checkout session, Razorpay's order."""
    gateway_payment_id: Mapped[str | None]
    """Stripe's payment intent, Razorpay's payment."""
    failure_code: Mapped[str | None]
    failure_message: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    sent_at: Mapped[datetime | None]
    """When the gateway was first asked. Set before it is."""
    resolved_at: Mapped[datetime | None]
    next_check_at: Mapped[datetime | None]
    """When the gateway is asked what became of it, unless it says so itself before."""
    checks: Mapped[int] = mapped_column(default=0)

    @property
    def is_resolved(self) -> bool:
        return self.state not in UNRESOLVED


class PaymentReversal(Base):
    """Money that went back: a refund, or what a bank took in a dispute."""

    __tablename__ = "payment_reversals"

    gateway: Mapped[str] = mapped_column(primary_key=True)
    gateway_id: Mapped[str] = mapped_column(primary_key=True)
    """Of the refund or the dispute."""
    tenant_id: Mapped[UUID]
    payment_id: Mapped[UUID]
    kind: Mapped[str]
    amount_minor: Mapped[int]
    credit_micros: Mapped[int]
    """What it took of the balance."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    returned_at: Mapped[datetime | None]
    """When the money came back after all."""


class PaymentAudit(Base):
    """The last audit of what was paid, given back and invoiced on a UTC day, for all tenants."""

    __tablename__ = "payment_audits"

    day: Mapped[date] = mapped_column(primary_key=True)
    audited_at: Mapped[datetime]
    balanced: Mapped[bool]


class AutoRecharge(Base):
    """When a tenant's saved method is charged while nobody is there."""

    __tablename__ = "auto_recharges"

    tenant_id: Mapped[UUID] = mapped_column(primary_key=True)
    enabled: Mapped[bool]
    pack_micros: Mapped[int]
    threshold_micros: Mapped[int]
    declines: Mapped[int] = mapped_column(default=0)
    """In a row."""
    retry_at: Mapped[datetime | None]
    """No charge before this time, after one that was declined."""


class GatewayEvent(Base):
    """What a gateway reported, as it came. The same event is applied once."""

    __tablename__ = "gateway_events"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    gateway: Mapped[str]
    event_id: Mapped[str]
    event_type: Mapped[str]
    body: Mapped[str]
    outcome: Mapped[str]
    waits_for: Mapped[str | None]
    """The gateway's payment that has to be known before this can be applied."""
    received_at: Mapped[datetime] = mapped_column(server_default=func.now())
