"""Phone numbers to which members want notifications."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.migrations.tenancy import confine_to_tenant

revision = "0043"
down_revision = "0042"


def upgrade() -> None:
    op.create_table(
        "notification_phones",
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), primary_key=True),
        sa.Column("user_id", sa.Uuid, primary_key=True),
        sa.Column("number", sa.Text, nullable=False),
        sa.Column("code_hash", sa.LargeBinary),
        sa.Column("code_expires_at", sa.DateTime(timezone=True)),
        sa.Column("confirmed_at", sa.DateTime(timezone=True)),
        # Who leaves the tenant gets nothing more.
        sa.ForeignKeyConstraint(
            ["tenant_id", "user_id"],
            ["memberships.tenant_id", "memberships.user_id"],
            ondelete="CASCADE",
        ),
    )
    confine_to_tenant("notification_phones")
