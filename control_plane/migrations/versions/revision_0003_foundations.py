"""Tiers and plans, tenants' own provider keys, the audit log and the outbox."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control_plane.migrations.tenancy import (
    APPEND_ONLY,
    confine_to_tenant,
    make_append_only,
    share_with_all_tenants,
)

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    _create_plans()
    _create_provider_keys()
    _create_audit_log()
    _create_outbox()


def _time(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now())


def _tenant_id(*, primary_key: bool = False) -> sa.Column[object]:
    return sa.Column(
        "tenant_id",
        sa.Uuid,
        sa.ForeignKey("tenants.id"),
        nullable=False,
        primary_key=primary_key,
    )


def _create_plans() -> None:
    plans = op.create_table(
        "plans",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("display_name", sa.Text, nullable=False),
        sa.Column("monthly_credit_micros", sa.BigInteger, nullable=False),
        sa.Column("byok_allowed", sa.Boolean, nullable=False),
        sa.CheckConstraint("monthly_credit_micros >= 0", name="monthly_credit_micros"),
    )
    op.bulk_insert(
        plans,
        [
            {
                "id": "pay_as_you_go",
                "display_name": "Pay as you go",
                "monthly_credit_micros": 0,
                "byok_allowed": True,
            }
        ],
    )
    share_with_all_tenants("plans")
    op.add_column("tenants", sa.Column("tier", sa.Text, nullable=False, server_default="free"))
    op.create_check_constraint("tier", "tenants", "tier IN ('free', 'enterprise')")
    op.add_column(
        "tenants",
        sa.Column(
            "plan_id",
            sa.Text,
            sa.ForeignKey("plans.id"),
            nullable=False,
            server_default="pay_as_you_go",
        ),
    )


def _create_provider_keys() -> None:
    op.create_table(
        "provider_keys",
        _tenant_id(primary_key=True),
        sa.Column("provider", sa.Text, primary_key=True),
        sa.Column("sealed_key", sa.Text, nullable=False),
        sa.Column("last_four", sa.Text, nullable=False),
        _time("created_at"),
        _time("updated_at"),
    )
    confine_to_tenant("provider_keys")


def _create_audit_log() -> None:
    op.create_table(
        "audit_entries",
        sa.Column("id", sa.BigInteger, sa.Identity(always=True), primary_key=True),
        _tenant_id(),
        sa.Column("actor_kind", sa.Text, nullable=False),
        sa.Column("actor_id", sa.Uuid),
        sa.Column("actor_label", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("target_id", sa.Text),
        sa.Column("changes", JSONB, nullable=False),
        sa.Column("address", sa.Text),
        sa.Column("user_agent", sa.Text),
        sa.Column("request_id", sa.Text),
        _time("created_at"),
    )
    op.create_index(None, "audit_entries", ["tenant_id", "id"])
    confine_to_tenant("audit_entries", privileges=APPEND_ONLY)
    make_append_only("audit_entries")


def _create_outbox() -> None:
    op.create_table(
        "outbox_events",
        sa.Column("id", sa.Uuid, primary_key=True),
        _tenant_id(),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("data", JSONB, nullable=False),
        _time("occurred_at"),
    )
    op.create_index(None, "outbox_events", ["tenant_id", "occurred_at"])
    confine_to_tenant("outbox_events")
