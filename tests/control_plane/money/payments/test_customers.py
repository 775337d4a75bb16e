"""A tenant's customer record at each gateway."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from uuid import uuid4

import pytest

from control_plane.identity.tenants.errors import TenantNotFound
from control_plane.money.payments.checkout import begin_mandate
from control_plane.money.payments.gateways.gateway import Customer
from tests.control_plane.money.payments.paying import Payer
from tests.stand_ins.razorpay_wire import RazorpayWire
from tests.stand_ins.stripe_wire import StripeWire


async def test_a_tenant_is_one_customer_of_each_gateway(
    payer: Payer, stripe: StripeWire, razorpay: RazorpayWire
) -> None:
    for _ in range(2):
        await payer.begin(20)
    for _ in range(2):
        await payer.tenant.post(
            "/v1/billing/mandate/register",
            {"first_charge_usd": 10, "max_amount_usd": 50, "contact": "+919876543210"},
        )
    assert [each["metadata"] for each in stripe.customers.values()] == [
        {"tenant_id": str(payer.tenant_id)}
    ]
    assert [each["contact"] for each in razorpay.customers.values()] == ["+919876543210"]


async def test_a_customer_that_the_gateway_does_not_know_any_more_is_made_again(
    payer: Payer, stripe: StripeWire
) -> None:
    await payer.begin(20)
    [gone] = stripe.customers
    stripe.customers.clear()

    begun = [await payer.begin(20) for _ in range(2)]

    [made] = stripe.customers
    assert made != gone
    paid = [stripe.sessions[each["stripe"]["session_id"]]["customer"] for each in begun]
    assert paid == [made, made]


@pytest.mark.parametrize(
    ("name", "accepted"),
    [
        ("Sharma & Sons, Pvt. Ltd.", "Sharma Sons Pvt. Ltd."),
        ("Café D'Souza (Süd-Goa)", "Cafe D'Souza (Sud Goa)"),
        ("a" * 49 + " b c", "a" * 49),
        ("शर्मा", None),
        ("HP", None),
    ],
)
async def test_razorpay_gets_of_a_name_what_it_accepts(
    payer: Payer, razorpay: RazorpayWire, name: str, accepted: str | None
) -> None:
    gateway = payer.gateways.of_mandates
    assert gateway is not None
    customer = Customer(payer.tenant_id, name, "ada@example.com")
    await gateway.make_customer(customer, instead_of=None)
    assert [each.get("name") for each in razorpay.customers.values()] == [accepted]


async def test_a_tenant_that_does_not_exist_is_not_found(
    payer: Payer, razorpay: RazorpayWire
) -> None:
    with pytest.raises(TenantNotFound) as refusal:
        await begin_mandate(
            payer.database,
            payer.settings,
            payer.gateways,
            uuid4(),
            uuid4(),
            first_charge_usd=Decimal(10),
            max_amount_usd=Decimal(50),
            contact="+919876543210",
            method=None,
            now=datetime.now(UTC),
        )
    assert (refusal.value.status, refusal.value.code) == (404, "tenant_not_found")
    assert (razorpay.customers, razorpay.orders) == ({}, {})
