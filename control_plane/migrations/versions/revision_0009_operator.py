"""Paused agents and the platform's switches."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.migrations.tenancy import READ_ONLY, confine_to_tenant, share_with_all_tenants
from control_plane.platform.database import SYSTEM_ROLE

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    _create_agent_pauses()
    _create_platform_switches()
    op.execute(f"GRANT INSERT ON plans TO {SYSTEM_ROLE}")
    op.create_index("ix_tenants_newest", "tenants", ["created_at", "id"])


def _time(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now())


def _create_agent_pauses() -> None:
    op.create_table(
        "agent_pauses",
        sa.Column("agent_id", sa.Uuid, primary_key=True),
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        _time("paused_at"),
        sa.ForeignKeyConstraint(["tenant_id", "agent_id"], ["agents.tenant_id", "agents.id"]),
    )
    confine_to_tenant("agent_pauses", privileges=READ_ONLY)
    op.execute(f"GRANT INSERT, UPDATE, DELETE ON agent_pauses TO {SYSTEM_ROLE}")


def _create_platform_switches() -> None:
    """A table with exactly one row."""
    switches = op.create_table(
        "platform_switches",
        sa.Column("only_row", sa.Boolean, primary_key=True, server_default=sa.true()),
        sa.Column("calls_enabled", sa.Boolean, nullable=False),
        sa.Column("message", sa.Text),
        _time("updated_at"),
        sa.CheckConstraint("only_row", name="only_row"),
    )
    op.bulk_insert(switches, [{"calls_enabled": True}])
    share_with_all_tenants("platform_switches")
    op.execute(f"GRANT UPDATE ON platform_switches TO {SYSTEM_ROLE}")
