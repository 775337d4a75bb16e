"""Accounts at phone carriers, and numbers that tenants register themselves.

Several tenants may register a number that none of them has proved to be theirs, so a number is
unique within its tenant, and in the installation once a carrier or the operator has vouched for it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.migrations.online import release_locks
from control_plane.migrations.tenancy import confine_to_tenant

revision = "0045"
down_revision = "0044"


def upgrade() -> None:
    op.execute(
        "ALTER TABLE plans ADD COLUMN IF NOT EXISTS phone_numbers_max bigint"
        " CHECK (phone_numbers_max >= 0)"
    )
    release_locks()
    op.create_table(
        "carrier_accounts",
        sa.Column("id", sa.Uuid, primary_key=True),
        # NULL: the installation's own.
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id")),
        sa.Column("provider", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("sealed_credentials", sa.Text, nullable=False),
        sa.Column("is_default", sa.Boolean, nullable=False),
        sa.Column("refuse_with", sa.Text, nullable=False),
        sa.Column("revision", sa.BigInteger, nullable=False),
        sa.Column("verified_at", sa.DateTime(timezone=True)),
        sa.Column("problem", sa.Text),
        _time("created_at"),
        _time("updated_at"),
        sa.CheckConstraint("refuse_with IN ('sentence', 'busy', 'reject')", name="refuse_with"),
    )
    op.create_index("ix_carrier_accounts_of_tenant", "carrier_accounts", ["tenant_id"])
    op.create_index(
        "uq_carrier_accounts_default",
        "carrier_accounts",
        ["tenant_id"],
        unique=True,
        postgresql_where="is_default",
        postgresql_nulls_not_distinct=True,
    )
    confine_to_tenant("carrier_accounts")
    op.execute(
        "ALTER TABLE numbers"
        " ADD COLUMN IF NOT EXISTS carrier_account_id uuid REFERENCES carrier_accounts (id),"
        " ADD COLUMN IF NOT EXISTS verified_by text,"
        " ADD COLUMN IF NOT EXISTS webhook_error text,"
        " ADD COLUMN IF NOT EXISTS user_id uuid"
    )
    op.execute("UPDATE numbers SET verified_by = 'operator' WHERE is_managed")
    op.create_check_constraint(
        "verified_by", "numbers", "verified_by IN ('operator', 'carrier', 'webhook')"
    )
    op.create_index("uq_numbers_of_tenant", "numbers", ["tenant_id", "number"], unique=True)
    op.create_index(
        "uq_numbers_proved",
        "numbers",
        ["number"],
        unique=True,
        postgresql_where="verified_by IN ('operator', 'carrier')",
    )
    op.execute("ALTER TABLE numbers DROP CONSTRAINT IF EXISTS uq_numbers_number")
    op.create_index("ix_numbers_of_account", "numbers", ["carrier_account_id"])


def _time(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now())
