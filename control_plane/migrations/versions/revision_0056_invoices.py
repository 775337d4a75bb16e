"""Invoices with numbers without gaps, and the taxes of countries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control_plane.migrations.tenancy import (
    confine_to_tenant,
    make_append_only,
    share_with_all_tenants,
)
from control_plane.platform.database import SYSTEM_ROLE

revision = "0056"
down_revision = "0055"


def upgrade() -> None:
    op.create_table(
        "invoices",
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("invoice_number", sa.Text, nullable=False, unique=True),
        _tenant_id(),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("kind", "status", "currency")),
        *(
            sa.Column(name, sa.BigInteger, nullable=False)
            for name in ("subtotal_minor", "tax_minor", "discount_minor", "total_minor")
        ),
        sa.Column("taxes", JSONB, nullable=False),
        sa.Column("gateway", sa.Text),
        sa.Column("gateway_invoice_id", sa.Text),
        sa.Column("payment_event_id", sa.Uuid, nullable=False),
        sa.Column("credited_invoice_id", sa.Uuid, sa.ForeignKey("invoices.id")),
        sa.Column("reference", sa.Text, nullable=False, unique=True),
        sa.Column("billed_to", JSONB, nullable=False),
        *(_time(name) for name in ("period_start", "period_end")),
        sa.Column("issued_at", sa.DateTime(timezone=True), nullable=False),
        *(_time(name) for name in ("paid_at", "voided_at")),
        sa.Column("position", sa.BigInteger, sa.Identity(always=True), nullable=False),
        sa.CheckConstraint(
            "subtotal_minor + tax_minor - discount_minor = total_minor", name="adds_up"
        ),
    )
    op.create_index("ix_invoices_of_tenant", "invoices", ["tenant_id", "position"])
    op.create_index("ix_invoices_credited", "invoices", ["credited_invoice_id"])
    op.create_index("ix_invoices_payment", "invoices", ["payment_event_id"])
    confine_to_tenant("invoices", privileges=("SELECT",))
    op.execute(f"GRANT INSERT, UPDATE (status, voided_at) ON invoices TO {SYSTEM_ROLE}")

    op.create_table(
        "invoice_items",
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("invoice_id", sa.Uuid, sa.ForeignKey("invoices.id"), nullable=False),
        _tenant_id(),
        sa.Column("line", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        *(
            sa.Column(name, sa.BigInteger, nullable=False)
            for name in ("quantity", "unit_amount_minor", "amount_minor")
        ),
        sa.Column("plan_id", sa.Text),
        sa.Column("credit_transaction_id", sa.Uuid),
    )
    op.create_index("ix_invoice_items_of_invoice", "invoice_items", ["invoice_id", "line"])
    confine_to_tenant("invoice_items", privileges=("SELECT",))
    op.execute(f"GRANT INSERT ON invoice_items TO {SYSTEM_ROLE}")
    make_append_only("invoice_items")

    op.create_table(
        "invoice_counters",
        sa.Column("prefix", sa.Text, primary_key=True),
        sa.Column("year", sa.BigInteger, primary_key=True),
        sa.Column("last_number", sa.BigInteger, nullable=False),
    )
    op.execute(f"GRANT SELECT, INSERT, UPDATE ON invoice_counters TO {SYSTEM_ROLE}")

    op.create_table(
        "tax_rates",
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("country", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("percent", sa.Numeric(7, 4), nullable=False),
        sa.Column("is_inclusive", sa.Boolean, nullable=False),
        sa.Column("reverse_charge", sa.Boolean, nullable=False),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()
        ),
        _time("ended_at"),
        sa.CheckConstraint("percent >= 0 AND percent <= 100", name="percent"),
    )
    op.create_index(
        "ux_tax_rates_kind",
        "tax_rates",
        ["country", "kind"],
        unique=True,
        postgresql_where=sa.text("ended_at IS NULL"),
    )
    share_with_all_tenants("tax_rates")
    op.execute(f"GRANT INSERT, UPDATE ON tax_rates TO {SYSTEM_ROLE}")


def _tenant_id() -> sa.Column[object]:
    return sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), nullable=False)


def _time(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True))
