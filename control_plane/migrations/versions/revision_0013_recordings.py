"""Recordings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.migrations.tenancy import confine_to_tenant

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.create_table(
        "recordings",
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), nullable=False),
        sa.Column("call_id", sa.Uuid, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("stopped_at", sa.DateTime(timezone=True)),
        sa.Column("completed_at", sa.DateTime(timezone=True)),
        sa.Column("duration_ms", sa.BigInteger),
        sa.Column("wav_bytes", sa.BigInteger),
        sa.Column("ogg_bytes", sa.BigInteger),
        sa.Column("detail", sa.Text),
        sa.ForeignKeyConstraint(["tenant_id", "call_id"], ["calls.tenant_id", "calls.id"]),
        sa.CheckConstraint("status IN ('processing', 'completed', 'failed')", name="status"),
        sa.CheckConstraint(
            "status <> 'completed' OR (wav_bytes IS NOT NULL AND ogg_bytes IS NOT NULL)",
            name="files_of_completed",
        ),
    )
    op.create_index(
        "ix_recordings_call", "recordings", ["tenant_id", "call_id", sa.text("started_at DESC")]
    )
    confine_to_tenant("recordings")
