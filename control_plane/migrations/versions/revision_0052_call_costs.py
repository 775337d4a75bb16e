"""What calls brought in and cost, by day, agent and model; and an index by when calls started."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.migrations.online import create_index_online
from control_plane.migrations.tenancy import confine_to_tenant

revision = "0052"
down_revision = "0051"

_AMOUNTS = (
    "calls",
    "calls_begun",
    "billable_ms",
    "revenue_micros",
    "planned_cost_micros",
    "actual_cost_micros",
    "calls_of_unknown_cost",
)


def upgrade() -> None:
    create_index_online(
        "ix_calls_started",
        "calls",
        ["tenant_id", sa.text("started_at DESC"), sa.text("id DESC")],
        where="started_at IS NOT NULL",
    )
    op.create_table(
        "call_cost_days",
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), primary_key=True),
        sa.Column("day", sa.Date, primary_key=True),
        sa.Column("agent_id", sa.Uuid, primary_key=True),
        sa.Column("component", sa.Text, primary_key=True),
        sa.Column("provider", sa.Text, primary_key=True),
        sa.Column("model", sa.Text, primary_key=True),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in _AMOUNTS),
        # Each call updates its rows, which then stay in their pages.
        postgresql_with={"fillfactor": 70},
    )
    op.create_index(None, "call_cost_days", ["day"])
    confine_to_tenant("call_cost_days", privileges=("SELECT", "INSERT", "UPDATE"))
