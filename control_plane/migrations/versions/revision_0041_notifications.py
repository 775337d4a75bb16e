"""Notifications: the feed, who has read what, preferences, deliveries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control_plane.migrations.tenancy import confine_to_tenant

revision = "0041"
down_revision = "0040"

_CHANNELS = ("in_app", "email", "sms", "webhook")


def upgrade() -> None:
    op.create_table(
        "notifications",
        sa.Column("id", sa.Uuid, primary_key=True),
        _tenant_id(),
        sa.Column("event_category", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("metadata", JSONB, nullable=False),
        _time("created_at"),
        sa.Column("is_shown", sa.Boolean),
        _flag("is_test"),
    )
    op.create_index("ix_notifications_of_tenant", "notifications", ["tenant_id", "created_at"])
    op.create_index("ix_notifications_age", "notifications", ["created_at"])
    op.create_table(
        "notification_reads",
        _notification_id(primary_key=True),
        sa.Column("reader_id", sa.Uuid, primary_key=True),
        _tenant_id(),
        _flag("is_cleared"),
    )
    op.create_table(
        "notification_preferences",
        _tenant_id(primary_key=True),
        sa.Column("owner_id", sa.Uuid, primary_key=True),
        sa.Column("event_category", sa.Text, primary_key=True),
        *(sa.Column(channel, sa.Boolean) for channel in _CHANNELS),
    )
    op.create_table(
        "notification_deliveries",
        sa.Column("id", sa.Uuid, primary_key=True),
        _tenant_id(),
        _notification_id(),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("user_id", sa.Uuid),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("attempt_count", sa.Integer, nullable=False, server_default="0"),
        sa.Column("last_error", sa.Text),
        _time("created_at"),
    )
    op.create_index(
        "ix_notification_deliveries_of_tenant",
        "notification_deliveries",
        ["tenant_id", "created_at"],
    )
    op.create_index(
        "ix_notification_deliveries_of_notification",
        "notification_deliveries",
        ["notification_id"],
    )
    op.create_table(
        "notification_occasions",
        _tenant_id(primary_key=True),
        sa.Column("event_category", sa.Text, primary_key=True),
        sa.Column("occasion", sa.Text, primary_key=True),
        _time("told_at"),
    )
    for table in (
        "notifications",
        "notification_reads",
        "notification_preferences",
        "notification_deliveries",
        "notification_occasions",
    ):
        confine_to_tenant(table)


def _tenant_id(*, primary_key: bool = False) -> sa.Column[object]:
    return sa.Column(
        "tenant_id",
        sa.Uuid,
        sa.ForeignKey("tenants.id"),
        primary_key=primary_key,
        nullable=False,
    )


def _notification_id(*, primary_key: bool = False) -> sa.Column[object]:
    return sa.Column(
        "notification_id",
        sa.Uuid,
        sa.ForeignKey("notifications.id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
    )


def _time(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now())


def _flag(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false())
