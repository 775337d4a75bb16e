"""Since when a tenant has its plan, and alerts about what it spends."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

from control_plane.migrations.online import release_locks
from control_plane.migrations.tenancy import confine_to_tenant

revision = "0051"
down_revision = "0050"


def upgrade() -> None:
    op.execute("ALTER TABLE tenants ADD COLUMN IF NOT EXISTS plan_since timestamptz")
    release_locks()
    op.execute(
        "ALTER TABLE billing_accounts ADD COLUMN IF NOT EXISTS last_topup_id uuid,"
        " ADD COLUMN IF NOT EXISTS last_topup_micros bigint"
    )
    release_locks()
    op.create_table(
        "spend_alert_settings",
        _tenant_id(primary_key=True),
        sa.Column("thresholds_micros", ARRAY(sa.BigInteger), nullable=False),
        sa.Column("low_balance_pct", sa.Integer, nullable=False),
        sa.Column("email_enabled", sa.Boolean, nullable=False),
    )
    op.create_table(
        "spend_alerts",
        sa.Column("id", sa.Uuid, primary_key=True),
        _tenant_id(),
        sa.Column("occasion", sa.Text, nullable=False),
        sa.Column("alert_type", sa.Text, nullable=False),
        sa.Column("severity", sa.Text, nullable=False),
        sa.Column("amount_micros", sa.BigInteger, nullable=False),
        sa.Column("threshold_micros", sa.BigInteger, nullable=False),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()
        ),
        sa.Column("acknowledged_at", sa.DateTime(timezone=True)),
        sa.UniqueConstraint("tenant_id", "occasion"),
    )
    op.create_index("ix_spend_alerts_of_tenant", "spend_alerts", ["tenant_id", "created_at"])
    for table in ("spend_alert_settings", "spend_alerts"):
        confine_to_tenant(table)


def _tenant_id(*, primary_key: bool = False) -> sa.Column[object]:
    return sa.Column(
        "tenant_id",
        sa.Uuid,
        sa.ForeignKey("tenants.id"),
        primary_key=primary_key,
        nullable=False,
    )
