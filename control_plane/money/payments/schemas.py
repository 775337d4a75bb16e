"""Requests and responses of payments. Source: API spec, "Billing" and "Billing records"."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal
from uuid import UUID

import phonenumbers
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StringConstraints,
)

from contracts.money import usd
from control_plane.money.payments.countries import COUNTRIES
from control_plane.money.payments.models import AutoRecharge, PaymentMethod, TopupPack
from control_plane.platform.settings import GatewayName


def _country(code: str) -> str:
    if code not in COUNTRIES:
        instead = ": the United Kingdom is GB" if code == "UK" else ", such as DE or GB"
        raise ValueError(f"must be the two-letter code (ISO 3166) of a country{instead}")
    return code


def _contact(text: str) -> str:
    wrong = ValueError("must be a phone number such as +919876543210 or 9876543210")
    digits = re.sub(r"[ ().\-]", "", text)
    if not re.fullmatch(r"\+[0-9]+|[0-9]{10}", digits):
        raise wrong
    try:
        number = phonenumbers.parse(digits, "IN")
    except phonenumbers.NumberParseException:
        raise wrong from None
    found = phonenumbers.is_possible_number_with_reason(number)
    if found != phonenumbers.ValidationResult.IS_POSSIBLE:
        raise wrong
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


WholeCents = Annotated[Decimal, Field(decimal_places=2)]
Country = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z]{2}$", strip_whitespace=True, to_upper=True),
    AfterValidator(_country),
]
TaxId = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=50)]
Contact = Annotated[str, StringConstraints(min_length=7, max_length=20), AfterValidator(_contact)]


class CheckoutStart(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"pack_usd": 20, "billing_country": "DE", "save_card": True}},
    )
    pack_usd: WholeCents = Field(
        gt=0, description="What is added to the credit. A pack's price, or any other amount."
    )
    billing_country: Country | None = Field(
        None, description="ISO 3166-1, two letters. It decides about the gateway and the taxes."
    )
    tax_id: TaxId | None = Field(None, description="Shown on the invoices from now on.")
    save_card: StrictBool = Field(
        False, description="Keep the card for automatic recharges. In India, register a mandate."
    )


class RazorpayOrder(BaseModel):
    """What Razorpay's checkout takes. `amount` is in paise."""

    order_id: str
    key_id: str
    amount: int
    currency: str
    customer_id: str | None
    checkout_url: str = Field(
        description="Hosted by Razorpay: have the customer's browser post a form there, with "
        "`key_id`, `order_id`, `amount`, `callback_url` and `cancel_url`; for a mandate also "
        "`customer_id` and `recurring=1`."
    )


class StripeCheckout(BaseModel):
    """Hosted by Stripe: send the customer there."""

    session_id: str
    checkout_url: str


class CheckoutStarted(BaseModel):
    """`stripe` or `razorpay`, as `gateway` says, holds what the customer pays with."""

    payment_id: UUID
    gateway: GatewayName
    currency: str
    subtotal_minor: int
    tax_minor: int
    total_minor: int = Field(description="What the customer pays, in minor units of `currency`.")
    bonus_cents: int
    checkout_url: str | None = Field(description="The same as in `stripe`; null for Razorpay.")
    stripe: StripeCheckout | None = None
    razorpay: RazorpayOrder | None = None


class PackView(BaseModel):
    id: UUID
    display_name: str
    price_cents: int
    bonus_cents: int
    sort_order: int

    @classmethod
    def of(cls, pack: TopupPack) -> PackView:
        return cls(
            id=pack.id,
            display_name=pack.display_name,
            price_cents=pack.price_cents,
            bonus_cents=pack.bonus_cents,
            sort_order=pack.sort_order,
        )


class PackList(BaseModel):
    packs: list[PackView]


class PaymentMethodView(BaseModel):
    id: UUID
    gateway: str
    method_type: str
    upi_vpa: str | None
    card_brand: str | None
    card_last4: str | None
    card_country: str | None
    is_default: bool = Field(description="It is the one that automatic recharges charge.")
    created_at: datetime

    @classmethod
    def of(cls, method: PaymentMethod) -> PaymentMethodView:
        return cls.model_validate(method, from_attributes=True)


class PaymentMethodList(BaseModel):
    payment_methods: list[PaymentMethodView]


class Done(BaseModel):
    ok: Literal[True] = True


class AutoRechargeView(BaseModel):
    enabled: bool
    pack_usd: float
    threshold_usd: float
    gateway: GatewayName | None = Field(description="null: the installation takes no payments.")
    mandate_required: bool
    has_mandate: bool
    billing_phone: str | None

    @classmethod
    def of(
        cls,
        settings: AutoRecharge,
        gateway: GatewayName | None,
        methods: list[PaymentMethod],
        billing_phone: str | None,
    ) -> AutoRechargeView:
        return cls(
            enabled=settings.enabled,
            pack_usd=usd(settings.pack_micros),
            threshold_usd=usd(settings.threshold_micros),
            gateway=gateway,
            mandate_required=gateway == "razorpay",
            has_mandate=any(method.gateway == "razorpay" for method in methods),
            billing_phone=billing_phone,
        )


class AutoRechargeChanges(BaseModel):
    """Fields that you leave out stay as they are."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"enabled": True, "pack_usd": 20, "threshold_usd": 5}},
    )
    enabled: StrictBool | None = None
    pack_usd: Annotated[WholeCents, Field(ge=1, le=1000)] | None = Field(
        None, description="What each recharge adds. Greater than `threshold_usd`."
    )
    threshold_usd: Annotated[WholeCents, Field(ge=0, le=100)] | None = Field(
        None, description="A recharge is made when the available credit falls below it."
    )


class MandateStart(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "first_charge_usd": 20,
                "max_amount_usd": 100,
                "contact": "+919876543210",
                "method": "upi",
            }
        },
    )
    first_charge_usd: WholeCents = Field(ge=1, le=10_000, description="A top-up, paid at once.")
    max_amount_usd: WholeCents = Field(
        ge=1, le=10_000, description="The most that one later charge may take."
    )
    contact: Contact = Field(
        description="The phone number that the bank knows: in E.164, or ten digits of India."
    )
    method: Literal["card", "upi"] | None = None


class MandateStarted(BaseModel):
    """Give `razorpay` to Razorpay's checkout, or post it to the hosted one. The mandate exists when
    the bank has confirmed it."""

    gateway: GatewayName
    razorpay: RazorpayOrder


class EventReceived(BaseModel):
    received: Literal[True] = True
