"""For how many days each tenant keeps recordings, transcripts and event logs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.migrations.tenancy import confine_to_tenant

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    op.create_table(
        "data_retention",
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("days", sa.BigInteger),
        sa.Column("done_until", sa.DateTime(timezone=True)),
        sa.CheckConstraint("kind IN ('recordings', 'transcripts', 'event_logs')", name="kind"),
        sa.CheckConstraint("days > 0", name="days"),
    )
    confine_to_tenant("data_retention")
