from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

from control_plane.money.invoices.service import Line, PaidBill, issue_for_top_up
from control_plane.money.payments.models import PaymentMethod
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.policies.policy import (
    ADMINS_FOREIGN_IS_404,
    FOREIGN_IS_404,
    OWN_RECORDS,
    SECRET_NAME,
    Access,
    Policies,
    Policy,
)

_SIGNED = Policy(Access.EVERYONE, refused_with=503)
_OPERATORS = Policy(Access.OPERATOR, 401)

POLICIES: Policies = {
    ("GET", "/v1/billing/topup-packs"): Policy(Access.MEMBER, names_records=False),
    ("POST", "/v1/billing/checkout/start"): Policy(
        Access.ADMIN, refused_with=503, body={"pack_usd": 20}
    ),
    ("GET", "/v1/billing/payment-methods"): OWN_RECORDS,
    ("DELETE", "/v1/billing/payment-methods/{method_id}"): ADMINS_FOREIGN_IS_404,
    ("GET", "/v1/billing/auto-recharge"): Policy(Access.MEMBER, names_records=False),
    ("PUT", "/v1/billing/auto-recharge"): Policy(
        Access.ADMIN, body={"threshold_usd": 4}, names_records=False
    ),
    ("POST", "/v1/billing/mandate/register"): Policy(
        Access.ADMIN,
        refused_with=503,
        body={"first_charge_usd": 10, "max_amount_usd": 50, "contact": "+919876543210"},
    ),
    ("GET", "/v1/billing/invoices"): OWN_RECORDS,
    ("GET", "/v1/billing/invoices/{invoice_id}"): FOREIGN_IS_404,
    # A PDF's text is compressed.
    ("GET", "/v1/billing/invoices/{invoice_id}/pdf"): Policy(
        Access.MEMBER, refused_with=404, names_records=False
    ),
    ("POST", "/v1/gateways/stripe/events"): _SIGNED,
    ("POST", "/v1/gateways/razorpay/events"): _SIGNED,
    ("GET", "/v1/operator/topup-packs"): _OPERATORS,
    ("POST", "/v1/operator/topup-packs"): Policy(
        Access.OPERATOR, 401, {"display_name": "$7", "price_cents": 700}
    ),
    ("DELETE", "/v1/operator/topup-packs/{pack_id}"): _OPERATORS,
    ("GET", "/v1/operator/tax-rates"): _OPERATORS,
    ("POST", "/v1/operator/tax-rates"): Policy(
        Access.OPERATOR, 401, {"country": "FR", "kind": "VAT", "percent": 20}
    ),
    ("DELETE", "/v1/operator/tax-rates/{rate_id}"): _OPERATORS,
    ("GET", "/v1/operator/invoices"): _OPERATORS,
    ("POST", "/v1/operator/invoices/{invoice_id}/void"): Policy(
        Access.OPERATOR, 401, {"reason": "x"}
    ),
    ("PUT", "/v1/operator/tenants/{tenant_id}/payment-profile"): Policy(
        Access.OPERATOR, 401, {"preferred_gateway": None}
    ),
}


async def leave_records(
    tenant: TenantClient, database: Database, ids: dict[str, UUID]
) -> dict[str, object]:
    """The digest and the sealed token are of no use to anybody."""
    method = PaymentMethod(
        id=uuid4(),
        tenant_id=tenant.tenant_id,
        gateway="stripe",
        sealed_token="",
        token_digest=b"",
        method_type="card",
        card_brand=SECRET_NAME,
        is_default=True,
    )
    async with database.system_session() as session:
        session.add(method)
        invoice = await issue_for_top_up(
            session,
            PaidBill(
                payment_id=uuid4(),
                tenant_id=tenant.tenant_id,
                gateway="stripe",
                currency="USD",
                subtotal_minor=900,
                tax_minor=0,
                taxes=[],
                billed_to={"name": SECRET_NAME},
                lines=[Line("topup", SECRET_NAME, 900)],
            ),
            "WALK",
            datetime.now(UTC),
        )
    return {
        "method_id": method.id,
        "pack_id": uuid4(),
        "rate_id": uuid4(),
        "invoice_id": invoice.id,
    }
