"""What notifications come from: a tenant's settings, and how many calls began in each hour. And the
order in which they were added, for streams of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.migrations.online import create_index_online
from control_plane.migrations.tenancy import confine_to_tenant

revision = "0042"
down_revision = "0041"


def upgrade() -> None:
    # First, and so that it can be repeated: the index is built outside of the transaction.
    op.execute(
        "ALTER TABLE notifications"
        " ADD COLUMN IF NOT EXISTS position bigint GENERATED ALWAYS AS IDENTITY"
    )
    create_index_online("ix_notifications_by_position", "notifications", ["tenant_id", "position"])
    op.create_table(
        "notification_settings",
        _tenant_id(),
        sa.Column("time_zone", sa.Text, nullable=False, server_default="UTC"),
        sa.Column("last_top_up_micros", sa.BigInteger),
    )
    op.create_table(
        "notification_call_hours",
        _tenant_id(),
        sa.Column("hour", sa.DateTime(timezone=True), primary_key=True),
        sa.Column("calls", sa.Integer, nullable=False),
    )
    op.create_index("ix_notification_call_hours_age", "notification_call_hours", ["hour"])
    for table in ("notification_settings", "notification_call_hours"):
        confine_to_tenant(table)


def _tenant_id() -> sa.Column[object]:
    return sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), primary_key=True)
