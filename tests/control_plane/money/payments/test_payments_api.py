"""Payment methods, automatic recharge and mandates, as the API shows them."""

from __future__ import annotations

from uuid import uuid4

import pytest
from sqlalchemy import text

from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.dashboard import dashboard_client
from tests.control_plane.money.payments.paying import USD_TO_INR, Payer
from tests.stand_ins.razorpay_wire import RazorpayWire
from tests.stand_ins.stripe_wire import StripeWire

AUTO = "/v1/billing/auto-recharge"
MANDATE = {"first_charge_usd": 10, "max_amount_usd": 50, "contact": "+919876543210"}


async def methods_of(payer: Payer) -> list[dict[str, object]]:
    answer = await payer.tenant.get("/v1/billing/payment-methods")
    found: list[dict[str, object]] = answer.json()["payment_methods"]
    return found


async def test_a_deleted_method_is_detached_and_the_newest_other_one_becomes_the_default(
    payer: Payer, stripe: StripeWire
) -> None:
    for token in ("pm_1", "pm_2", "pm_3"):
        await payer.saves_a_card(token=token)
    await payer.turns_recharging_on()
    newest, second, first = await methods_of(payer)
    assert [each["is_default"] for each in (newest, second, first)] == [True, False, False]
    answer = await payer.tenant.request("DELETE", f"/v1/billing/payment-methods/{newest['id']}")
    assert (answer.status_code, answer.json()) == (200, {"ok": True})
    assert stripe.detached == ["pm_3"]
    assert [each["id"] for each in await methods_of(payer)] == [second["id"], first["id"]]
    assert (await methods_of(payer))[0]["is_default"]
    assert (await payer.tenant.get(AUTO)).json()["enabled"]


async def test_with_the_last_method_automatic_recharge_goes_off_even_if_the_gateway_is_away(
    payer: Payer, stripe: StripeWire
) -> None:
    await payer.saves_a_card()
    await payer.turns_recharging_on()
    stripe.fails_everything = True
    [only] = await methods_of(payer)
    answer = await payer.tenant.request("DELETE", f"/v1/billing/payment-methods/{only['id']}")
    assert answer.json() == {"ok": True}
    assert await methods_of(payer) == []
    assert not (await payer.tenant.get(AUTO)).json()["enabled"]


@pytest.mark.parametrize("is_let_in", [True, False])
async def test_a_deleted_mandate_is_a_deleted_token_of_razorpays_customer_if_razorpay_answers(
    payer: Payer, razorpay: RazorpayWire, *, is_let_in: bool
) -> None:
    answer = await payer.tenant.post("/v1/billing/mandate/register", MANDATE)
    payment = await razorpay.customer_pays(answer.json()["razorpay"]["order_id"])
    [mandate] = await methods_of(payer)
    if not is_let_in:
        razorpay.key_secret = "another one"
    answer = await payer.tenant.request("DELETE", f"/v1/billing/payment-methods/{mandate['id']}")
    assert (answer.status_code, answer.json()) == (200, {"ok": True})
    token = (payment["customer_id"], payment["token_id"])
    assert razorpay.deleted_tokens == ([token] if is_let_in else [])
    assert await methods_of(payer) == []


async def test_deleting_a_method_that_the_tenant_does_not_have_is_404(
    payer: Payer, other_tenant: TenantClient
) -> None:
    await payer.saves_a_card()
    [only] = await methods_of(payer)
    for tenant, method_id in ((other_tenant, only["id"]), (payer.tenant, uuid4())):
        path = f"/v1/billing/payment-methods/{method_id}"
        answer = await tenant.request("DELETE", path)
        assert (answer.status_code, answer.json()["code"]) == (404, "payment_method_not_found")
    assert len(await methods_of(payer)) == 1


async def test_the_defaults_of_automatic_recharge_and_what_the_gateway_needs(
    payer: Payer,
) -> None:
    assert (await payer.tenant.get(AUTO)).json() == {
        "enabled": False,
        "pack_usd": 20.0,
        "threshold_usd": 5.0,
        "gateway": "stripe",
        "mandate_required": False,
        "has_mandate": False,
        "billing_phone": None,
    }


async def test_fields_that_are_left_out_stay_as_they_are(payer: Payer) -> None:
    for body in ({"threshold_usd": 8}, {"pack_usd": 30}, {"enabled": True}, {}):
        answer = await payer.tenant.request("PUT", AUTO, json=body)
        assert (answer.status_code, answer.json()) == (200, {"ok": True})
    shown = (await payer.tenant.get(AUTO)).json()
    assert (shown["enabled"], shown["pack_usd"], shown["threshold_usd"]) == (True, 30.0, 8.0)


@pytest.mark.parametrize(
    "body",
    [
        {"pack_usd": 5},
        {"pack_usd": 4},
        {"threshold_usd": 20},
        {"pack_usd": 50, "threshold_usd": 50},
    ],
)
async def test_a_pack_that_is_not_greater_than_the_threshold_is_400_also_against_what_is_stored(
    payer: Payer, body: dict[str, float]
) -> None:
    answer = await payer.tenant.request("PUT", AUTO, json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert "pack_usd" in answer.json()["errors"][0]["field"]
    assert (await payer.tenant.get(AUTO)).json()["pack_usd"] == 20.0


@pytest.mark.parametrize(
    "body",
    [
        {"pack_usd": 0.99},
        {"pack_usd": 1001},
        {"threshold_usd": -1},
        {"threshold_usd": 101},
        {"enabled": "yes"},
    ],
)
async def test_values_out_of_range_are_400(payer: Payer, body: dict[str, object]) -> None:
    answer = await payer.tenant.request("PUT", AUTO, json=body)
    assert answer.status_code == 400, answer.text


async def test_members_see_and_only_admins_change(
    payer: Payer, tenant: TenantClient, database: Database
) -> None:
    member = await dashboard_client(tenant, database, "member")
    for path in ("topup-packs", "payment-methods", "auto-recharge", "invoices"):
        assert (await member.get(f"/v1/billing/{path}")).status_code == 200
    refused = [
        await member.request("PUT", AUTO, json={"enabled": True}),
        await member.post("/v1/billing/checkout/start", {"pack_usd": 20}),
        await member.post("/v1/billing/mandate/register", MANDATE),
        await member.delete(f"/v1/billing/payment-methods/{uuid4()}"),
    ]
    assert [answer.status_code for answer in refused] == [403] * 4


async def test_a_mandate_is_a_top_up_whose_confirmation_stores_the_token_sealed(
    payer: Payer, razorpay: RazorpayWire
) -> None:
    answer = await payer.tenant.post("/v1/billing/mandate/register", MANDATE | {"method": "upi"})
    assert answer.status_code == 200, answer.text
    started = answer.json()
    order = razorpay.orders[started["razorpay"]["order_id"]]
    assert started == {
        "gateway": "razorpay",
        "razorpay": {
            "order_id": order["id"],
            "key_id": razorpay.key_id,
            "amount": 10 * USD_TO_INR * 100,
            "currency": "INR",
            "customer_id": order["customer_id"],
            "checkout_url": f"{razorpay.base_url}/v1/checkout/embedded",
        },
    }
    assert order["token"]["max_amount"] == 50 * USD_TO_INR * 100
    payment = await razorpay.customer_pays(order["id"])
    await razorpay.events.resend_all(backwards=True)
    assert await payer.entries() == [("topup", 10.0)]
    async with payer.database.system_session() as session:
        kept = await session.execute(
            text("SELECT sealed_token, payment_methods::text FROM payment_methods")
        )
    [(sealed, row)] = kept
    assert payment["token_id"] not in row
    assert payer.settings.sealer.open(sealed) == payment["token_id"]
    [method] = await methods_of(payer)
    assert (method["gateway"], method["method_type"]) == ("razorpay", "upi")
    tenant = payer.tenant
    await tenant.http.put(
        f"/v1/operator/tenants/{tenant.tenant_id}/payment-profile",
        headers={"Authorization": "Bearer operator-token-of-the-tests"},
        json={"preferred_gateway": "razorpay"},
    )
    shown = (await tenant.get(AUTO)).json()
    assert (shown["gateway"], shown["mandate_required"], shown["has_mandate"]) == (
        "razorpay",
        True,
        True,
    )
    assert shown["billing_phone"] == MANDATE["contact"]


async def test_tenants_that_are_one_customer_of_razorpay_keep_their_mandates_apart(
    payer: Payer, other_tenant: TenantClient, razorpay: RazorpayWire
) -> None:
    """Both have the same owner."""
    payments = []
    for tenant in (payer.tenant, other_tenant, payer.tenant):
        answer = await tenant.post("/v1/billing/mandate/register", MANDATE)
        payments.append(await razorpay.customer_pays(answer.json()["razorpay"]["order_id"]))
    assert len(razorpay.customers) == 1
    mandates = "/v1/billing/payment-methods"
    assert len((await payer.tenant.get(mandates)).json()["payment_methods"]) == 2
    [theirs] = (await other_tenant.get(mandates)).json()["payment_methods"]
    assert theirs["is_default"]
    await razorpay.cancel_token(payments[1]["customer_id"], payments[1]["token_id"])
    assert (await other_tenant.get(mandates)).json() == {"payment_methods": []}
    assert len((await payer.tenant.get(mandates)).json()["payment_methods"]) == 2


async def test_a_mandate_that_the_bank_confirms_first_goes_to_the_tenant_that_has_begun_it(
    payer: Payer, other_tenant: TenantClient, razorpay: RazorpayWire
) -> None:
    for tenant in (payer.tenant, other_tenant):
        answer = await tenant.post("/v1/billing/mandate/register", MANDATE)
    razorpay.reporting = "never"
    payment = await razorpay.customer_pays(answer.json()["razorpay"]["order_id"])
    *_, (event_id, confirmation) = razorpay.events.sent
    await razorpay.events.send(event_id, confirmation)
    mandates = "/v1/billing/payment-methods"
    assert (await payer.tenant.get(mandates)).json() == {"payment_methods": []}
    assert len((await other_tenant.get(mandates)).json()["payment_methods"]) == 1
    assert payment["token_id"] in confirmation.decode()


async def test_a_mandate_that_was_given_to_another_shop_is_not_charged_here(
    payer: Payer, razorpay: RazorpayWire
) -> None:
    """The customer pays in both shops, which have one account at Razorpay."""
    await payer.begin(20, billing_country="IN")
    [customer_id] = razorpay.customers
    await razorpay.confirm_token(customer_id, "token_1_of_another_shop")
    assert await methods_of(payer) == []
    answer = await payer.tenant.post("/v1/billing/mandate/register", MANDATE)
    await razorpay.customer_pays(answer.json()["razorpay"]["order_id"])
    [ours] = await methods_of(payer)
    await razorpay.confirm_token(customer_id, "token_2_of_another_shop")
    assert await methods_of(payer) == [ours]


async def test_a_mandate_that_the_customer_cancels_at_the_bank_is_a_deleted_method(
    payer: Payer, razorpay: RazorpayWire
) -> None:
    answer = await payer.tenant.post("/v1/billing/mandate/register", MANDATE)
    payment = await razorpay.customer_pays(answer.json()["razorpay"]["order_id"])
    await payer.turns_recharging_on()
    await razorpay.cancel_token(payment["customer_id"], payment["token_id"])
    assert await methods_of(payer) == []
    assert not (await payer.tenant.get(AUTO)).json()["enabled"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"max_amount_usd": 9}, "max_amount_usd"),
        ({"first_charge_usd": 0}, "first_charge_usd"),
        ({"max_amount_usd": 10_001}, "max_amount_usd"),
        ({"contact": "123456"}, "contact"),
        ({"contact": "1" * 21}, "contact"),
        ({"contact": "call me maybe"}, "contact"),
        ({"contact": "+99912345678"}, "contact"),
        ({"contact": "+91987654"}, "contact"),
        ({"method": "cash"}, "method"),
    ],
)
async def test_a_wrong_mandate_is_400(payer: Payer, body: dict[str, object], field: str) -> None:
    answer = await payer.tenant.post("/v1/billing/mandate/register", MANDATE | body)
    assert answer.status_code == 400, answer.text
    assert field in str(answer.json()["errors"])


@pytest.mark.parametrize("contact", ["9876543210", "98765 43210", "+91 98765-43210"])
async def test_a_mandates_contact_is_kept_in_e164(
    payer: Payer, razorpay: RazorpayWire, contact: str
) -> None:
    answer = await payer.tenant.post("/v1/billing/mandate/register", MANDATE | {"contact": contact})
    assert answer.status_code == 200, answer.text
    assert [each["contact"] for each in razorpay.customers.values()] == ["+919876543210"]
    assert (await payer.tenant.get(AUTO)).json()["billing_phone"] == "+919876543210"


async def test_the_plan_shows_the_gateway_its_currency_and_the_rate(payer: Payer) -> None:
    shown = (await payer.tenant.get("/v1/billing/plan")).json()
    fields = ("preferred_gateway", "preferred_currency", "usd_to_inr_rate")
    assert [shown[name] for name in fields] == ["stripe", "USD", USD_TO_INR]
    await payer.begin(20, billing_country="IN")
    shown = (await payer.tenant.get("/v1/billing/plan")).json()
    assert [shown[name] for name in fields] == ["razorpay", "INR", USD_TO_INR]
