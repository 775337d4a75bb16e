"""Webhooks, their deliveries, and every try of a delivery."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

from control_plane.migrations.tenancy import confine_to_tenant

revision = "0040"
down_revision = "0039"


def upgrade() -> None:
    op.create_table(
        "webhooks",
        sa.Column("id", sa.Uuid, primary_key=True),
        _tenant_id(),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("events", ARRAY(sa.Text), nullable=False),
        sa.Column("sealed_secret", sa.Text, nullable=False),
        sa.Column("sealed_previous_secret", sa.Text),
        _time("previous_secret_until"),
        sa.Column("alert_email", sa.Text),
        sa.Column("redaction_level", sa.Text, nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.func.now(),
            nullable=False,
        ),
        _time("failing_since"),
        _time("alerted_at"),
    )
    op.create_index("ix_webhooks_of_tenant", "webhooks", ["tenant_id", "created_at"])
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", sa.Uuid, primary_key=True),
        _tenant_id(),
        sa.Column(
            "webhook_id",
            sa.Uuid,
            sa.ForeignKey("webhooks.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("event_id", sa.Uuid, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        _time("occurred_at", nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
        sa.Column("tries_left", sa.Integer, nullable=False),
        _time("next_try_at"),
        _time("finished_at"),
        sa.UniqueConstraint("webhook_id", "event_id"),
    )
    op.create_index(
        "ix_webhook_deliveries_due",
        "webhook_deliveries",
        ["next_try_at"],
        postgresql_where=sa.text("status = 'pending'"),
    )
    op.create_index(
        "ix_webhook_deliveries_of_webhook",
        "webhook_deliveries",
        ["webhook_id", "occurred_at", "id"],
    )
    op.create_index("ix_webhook_deliveries_expiry", "webhook_deliveries", ["occurred_at"])
    op.create_table(
        "webhook_tries",
        sa.Column(
            "delivery_id",
            sa.Uuid,
            sa.ForeignKey("webhook_deliveries.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("number", sa.Integer, primary_key=True),
        _tenant_id(),
        _time("started_at", nullable=False),
        sa.Column("duration_ms", sa.Integer, nullable=False),
        sa.Column("status_code", sa.Integer),
        sa.Column("error", sa.Text),
        sa.Column("answer", sa.Text),
    )
    for table in ("webhooks", "webhook_deliveries", "webhook_tries"):
        confine_to_tenant(table)


def _tenant_id() -> sa.Column[object]:
    return sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), nullable=False)


def _time(name: str, *, nullable: bool = True) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)
