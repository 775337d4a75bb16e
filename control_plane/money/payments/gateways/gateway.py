"""What a payment gateway does for us, in words that all of them share."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from control_plane.platform.settings import GatewayName

CURRENCIES: dict[GatewayName, str] = {"stripe": "USD", "razorpay": "INR"}
"""What each gateway charges."""


class GatewayUnclear(Exception):
    """The gateway gave no answer, or one that does not say whether it has acted, or would: it does
    not take our key, or has too much to do."""


class GatewayRefused(Exception):
    """The gateway has not done what it was asked to, and will not.

    Args:
        code: the gateway's own word for the reason, such as ``card_declined``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class UnknownCustomer(GatewayRefused):
    """The gateway does not know the customer id, such as one of test mode in live mode."""


@dataclass(frozen=True)
class SavedMethod:
    """A method that can be charged later. ``token`` is a secret."""

    token: str
    method_type: str
    upi_vpa: str | None = None
    card_brand: str | None = None
    card_last4: str | None = None
    card_country: str | None = None
    max_amount_minor: int | None = None
    """The most that one charge may take."""


@dataclass(frozen=True)
class Captured:
    """The gateway has the money."""

    gateway_payment_id: str
    amount_minor: int
    currency: str
    method: SavedMethod | None = None
    """With which it was paid, if it can be charged again."""


@dataclass(frozen=True)
class Declined:
    """A charge did not go through. The customer of a checkout may try again."""

    code: str
    message: str
    gateway_payment_id: str | None = None


@dataclass(frozen=True)
class Expired:
    """The checkout can no longer be paid."""


@dataclass(frozen=True)
class Waiting:
    """The customer or the bank has to act, or the gateway works on it."""

    gateway_payment_id: str | None = None


@dataclass(frozen=True)
class Refunded:
    refund_id: str
    gateway_payment_id: str
    amount_minor: int


@dataclass(frozen=True)
class RefundReversed:
    """A refund did not reach the customer: the money is back."""

    refund_id: str


@dataclass(frozen=True)
class Disputed:
    """The bank has taken the money back."""

    dispute_id: str
    gateway_payment_id: str
    amount_minor: int


@dataclass(frozen=True)
class DisputeWon:
    """The bank has returned it."""

    dispute_id: str


@dataclass(frozen=True)
class DisputePartlyWon:
    """The bank has returned a part of it, for example what was refunded before."""

    dispute_id: str
    kept: Disputed
    """What the bank keeps, as a dispute of its own."""


@dataclass(frozen=True)
class MandateConfirmed:
    customer_id: str
    method: SavedMethod


@dataclass(frozen=True)
class MandateEnded:
    customer_id: str
    token: str


PaymentReport = Captured | Declined | Expired | Waiting
ReversalReport = Refunded | RefundReversed | Disputed | DisputeWon | DisputePartlyWon
AnyReport = PaymentReport | ReversalReport | MandateConfirmed | MandateEnded


@dataclass(frozen=True)
class GatewayFact:
    """What an event says, and about which payment."""

    report: AnyReport
    payment_id: UUID | None = None
    """Ours, if the gateway knows it."""
    order_id: str | None = None


@dataclass(frozen=True)
class Customer:
    tenant_id: UUID
    name: str
    email: str | None
    phone: str | None = None


@dataclass(frozen=True)
class Order:
    """Money that a customer is to pay. The same ``payment_id`` never pays twice."""

    payment_id: UUID
    tenant_id: UUID
    total_minor: int
    description: str
    created_at: datetime
    customer_id: str | None
    order_id: str | None = None
    """Known once the gateway has answered."""


@dataclass(frozen=True)
class CheckoutWishes:
    success_url: str
    cancel_url: str
    save_card: bool


@dataclass(frozen=True)
class MandateWishes:
    max_amount_minor: int
    method: str | None
    """``card`` or ``upi``; ``None``: the customer chooses."""


@dataclass(frozen=True)
class BegunOrder:
    order_id: str
    shown: dict[str, Any]
    """What the customer's browser needs to pay it."""


class PaymentGateway(Protocol):
    """Every method raises ``GatewayUnclear`` or ``GatewayRefused``, and may be repeated with the
    same ids."""

    @property
    def name(self) -> GatewayName: ...

    async def make_customer(self, customer: Customer, *, instead_of: str | None) -> str:
        """The id of the tenant's customer record at the gateway.

        Args:
            instead_of: an id that the gateway does not know any more.
        """

    async def begin_checkout(self, order: Order, wishes: CheckoutWishes) -> BegunOrder:
        """
        Raises:
            UnknownCustomer: nothing has begun.
        """

    async def charge(self, order: Order, token: str, customer: Customer) -> PaymentReport:
        """Charge a saved method while nobody is there."""

    async def find(self, order: Order) -> PaymentReport | None:
        """What became of a payment; ``None``: the gateway does not know it."""

    async def reversals(self, since: datetime) -> list[ReversalReport]:
        """What refunds and disputes that began at ``since`` or later say today, those of other
        shops' payments among them."""

    async def captures(self, since: datetime) -> list[GatewayFact]:
        """Payments that began at ``since`` or later and are captured today, those of other shops
        among them. Each fact's report is ``Captured``."""

    async def detach(self, token: str, customer_id: str | None) -> None:
        """Forget a saved method."""

    async def aclose(self) -> None: ...


class MandateGateway(PaymentGateway, Protocol):
    """A gateway in a country whose banks want to be asked before a method is charged again."""

    async def begin_mandate(self, order: Order, wishes: MandateWishes) -> BegunOrder: ...
