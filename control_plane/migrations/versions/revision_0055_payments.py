"""Payments: packs, payment methods, automatic recharges, and what gateways reported."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control_plane.migrations.tenancy import confine_to_tenant, share_with_all_tenants
from control_plane.platform.database import SYSTEM_ROLE

revision = "0055"
down_revision = "0053"


def upgrade() -> None:
    op.create_table(
        "topup_packs",
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("display_name", sa.Text, nullable=False),
        sa.Column("price_cents", sa.BigInteger, nullable=False),
        sa.Column("bonus_cents", sa.BigInteger, nullable=False),
        sa.Column("sort_order", sa.BigInteger, nullable=False),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True)),
        _time("created_at"),
        sa.CheckConstraint("price_cents > 0 AND bonus_cents >= 0", name="amounts"),
    )
    # One price, one bonus: a top-up names only its amount.
    op.create_index(
        "ux_topup_packs_price",
        "topup_packs",
        ["price_cents"],
        unique=True,
        postgresql_where=sa.text("withdrawn_at IS NULL"),
    )
    share_with_all_tenants("topup_packs")
    op.execute(f"GRANT INSERT, UPDATE ON topup_packs TO {SYSTEM_ROLE}")

    op.create_table(
        "payment_profiles",
        _tenant_id(primary_key=True),
        sa.Column("billing_country", sa.Text),
        sa.Column("tax_id", sa.Text),
        sa.Column("preferred_gateway", sa.Text),
        sa.Column("billing_phone", sa.Text),
        sa.Column("stripe_customer_id", sa.Text),
        sa.Column("razorpay_customer_id", sa.Text),
    )
    op.create_table(
        "payment_methods",
        sa.Column("id", sa.Uuid, primary_key=True),
        _tenant_id(),
        sa.Column("gateway", sa.Text, nullable=False),
        sa.Column("sealed_token", sa.Text, nullable=False),
        sa.Column("token_digest", sa.LargeBinary, nullable=False),
        sa.Column("method_type", sa.Text, nullable=False),
        sa.Column("upi_vpa", sa.Text),
        sa.Column("card_brand", sa.Text),
        sa.Column("card_last4", sa.Text),
        sa.Column("card_country", sa.Text),
        sa.Column("max_amount_minor", sa.BigInteger),
        sa.Column("is_default", sa.Boolean, nullable=False),
        _time("created_at"),
        sa.Column("deleted_at", sa.DateTime(timezone=True)),
    )
    op.create_index(
        "ux_payment_methods_token",
        "payment_methods",
        ["tenant_id", "gateway", "token_digest"],
        unique=True,
    )
    op.create_index(
        "ux_payment_methods_default",
        "payment_methods",
        ["tenant_id"],
        unique=True,
        postgresql_where=sa.text("is_default AND deleted_at IS NULL"),
    )
    op.create_table(
        "payments",
        sa.Column("id", sa.Uuid, primary_key=True),
        _tenant_id(),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("gateway", sa.Text, nullable=False),
        sa.Column("currency", sa.Text, nullable=False),
        *(
            sa.Column(name, sa.BigInteger, nullable=False)
            for name in (
                *("subtotal_minor", "tax_minor", "total_minor"),
                *("credit_micros", "bonus_micros"),
            )
        ),
        sa.Column("taxes", JSONB, nullable=False),
        sa.Column("billing_country", sa.Text),
        sa.Column("tax_id", sa.Text),
        sa.Column("save_card", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("mandate_max_minor", sa.BigInteger),
        sa.Column("payment_method_id", sa.Uuid, sa.ForeignKey("payment_methods.id")),
        sa.Column("gateway_order_id", sa.Text),
        sa.Column("gateway_payment_id", sa.Text),
        sa.Column("failure_code", sa.Text),
        sa.Column("failure_message", sa.Text),
        _time("created_at"),
        *(
            sa.Column(name, sa.DateTime(timezone=True))
            for name in ("sent_at", "resolved_at", "next_check_at")
        ),
        sa.Column("checks", sa.BigInteger, nullable=False, server_default="0"),
        sa.CheckConstraint("kind IN ('checkout', 'recharge', 'mandate')", name="kind"),
        sa.CheckConstraint(
            "state IN ('claimed', 'open', 'succeeded', 'failed', 'expired')", name="state"
        ),
    )
    op.create_index(
        "ux_payments_recharge_in_flight",
        "payments",
        ["tenant_id"],
        unique=True,
        postgresql_where=sa.text("kind = 'recharge' AND state IN ('claimed', 'open')"),
    )
    op.create_index("ix_payments_of_tenant", "payments", ["tenant_id", "created_at"])
    op.create_index(
        "ix_payments_unresolved",
        "payments",
        ["next_check_at"],
        postgresql_where=sa.text("state IN ('claimed', 'open')"),
    )
    for column in ("gateway_payment_id", "gateway_order_id"):
        op.create_index(
            f"ux_payments_{column}",
            "payments",
            ["gateway", column],
            unique=True,
            postgresql_where=sa.text(f"{column} IS NOT NULL"),
        )
    op.create_table(
        "auto_recharges",
        _tenant_id(primary_key=True),
        sa.Column("enabled", sa.Boolean, nullable=False),
        sa.Column("pack_micros", sa.BigInteger, nullable=False),
        sa.Column("threshold_micros", sa.BigInteger, nullable=False),
        sa.Column("declines", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("retry_at", sa.DateTime(timezone=True)),
        sa.CheckConstraint("pack_micros > threshold_micros", name="pack_exceeds_threshold"),
    )
    op.create_table(
        "payment_reversals",
        sa.Column("gateway", sa.Text, primary_key=True),
        sa.Column("gateway_id", sa.Text, primary_key=True),
        _tenant_id(),
        sa.Column("payment_id", sa.Uuid, sa.ForeignKey("payments.id"), nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("amount_minor", sa.BigInteger, nullable=False),
        sa.Column("credit_micros", sa.BigInteger, nullable=False),
        _time("created_at"),
        sa.Column("returned_at", sa.DateTime(timezone=True)),
        sa.CheckConstraint("kind IN ('refund', 'dispute')", name="kind"),
    )
    op.create_index("ix_payment_reversals_of_payment", "payment_reversals", ["payment_id"])
    for table in (
        *("payment_profiles", "payment_methods", "payments", "payment_reversals"),
        "auto_recharges",
    ):
        confine_to_tenant(table)

    op.create_table(
        "gateway_events",
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("gateway", sa.Text, nullable=False),
        sa.Column("event_id", sa.Text, nullable=False),
        sa.Column("event_type", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("waits_for", sa.Text),
        _time("received_at"),
        sa.CheckConstraint("outcome IN ('applied', 'ignored', 'waiting')", name="outcome"),
    )
    op.create_index(
        "ux_gateway_events_event", "gateway_events", ["gateway", "event_id"], unique=True
    )
    op.create_index(
        "ix_gateway_events_waiting",
        "gateway_events",
        ["gateway", "waits_for"],
        postgresql_where=sa.text("outcome = 'waiting'"),
    )
    op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON gateway_events TO {SYSTEM_ROLE}")


def _tenant_id(*, primary_key: bool = False) -> sa.Column[object]:
    return sa.Column(
        "tenant_id",
        sa.Uuid,
        sa.ForeignKey("tenants.id"),
        primary_key=primary_key,
        nullable=False,
    )


def _time(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now())
