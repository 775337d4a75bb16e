"""Inbound phone legs, what a phone's minute costs, and what a tenant may spend on phones."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

from control_plane.migrations.online import create_index_online, release_locks
from control_plane.migrations.tenancy import confine_to_tenant, share_with_all_tenants
from control_plane.platform.database import SYSTEM_ROLE

revision = "0046"
down_revision = "0045"


def upgrade() -> None:
    op.execute(
        "ALTER TABLE dialing_jobs"
        " ADD COLUMN IF NOT EXISTS direction text NOT NULL DEFAULT 'outbound'"
        " CHECK (direction IN ('inbound', 'outbound')),"
        " ADD COLUMN IF NOT EXISTS carrier_account_id uuid,"
        " ADD COLUMN IF NOT EXISTS carrier_call_id text,"
        " ADD COLUMN IF NOT EXISTS telecom_micros_per_minute bigint NOT NULL DEFAULT 0"
    )
    release_locks()
    op.execute("ALTER TABLE calls ADD COLUMN IF NOT EXISTS telecom_cost_micros bigint")
    create_index_online(
        "uq_dialing_jobs_inbound",
        "dialing_jobs",
        ["carrier_account_id", "carrier_call_id"],
        unique=True,
        where="carrier_call_id IS NOT NULL",
    )
    op.create_table(
        "phone_settings",
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), primary_key=True),
        # NULL: the countries of the tenant's numbers.
        sa.Column("allowed_countries", ARRAY(sa.Text)),
        sa.Column("daily_spend_cap_micros", sa.BigInteger),
        sa.Column("rate_ceiling_micros_per_minute", sa.BigInteger),
        _time("updated_at"),
    )
    confine_to_tenant("phone_settings")
    op.create_table(
        "telecom_prices",
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("provider", sa.Text, nullable=False),
        sa.Column("direction", sa.Text, nullable=False),
        sa.Column("prefix", sa.Text, nullable=False),
        sa.Column("micros_per_minute", sa.BigInteger, nullable=False),
        _time("valid_from"),
        sa.CheckConstraint("prefix ~ '^[+][0-9]*$'", name="prefix"),
        sa.CheckConstraint("micros_per_minute >= 0", name="micros_per_minute"),
        sa.CheckConstraint("direction IN ('inbound', 'outbound')", name="direction"),
        sa.UniqueConstraint("provider", "direction", "prefix", "valid_from"),
    )
    share_with_all_tenants("telecom_prices")
    op.execute(f"GRANT INSERT ON telecom_prices TO {SYSTEM_ROLE}")


def _time(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now())
