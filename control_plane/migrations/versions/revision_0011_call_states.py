"""Columns of calls for the state table and the reaper."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    for moment in ("due_at", "dialed_at", "answered_at"):
        op.add_column("calls", sa.Column(moment, sa.DateTime(timezone=True)))
    op.add_column(
        "outbox_events",
        sa.Column("origin", sa.Text, nullable=False, server_default="api"),
    )
