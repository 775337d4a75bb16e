"""Erasing a caller's data: what was asked for, and what was erased of which call.

There is no foreign key to ``calls``: creating one would block writes to that table, and its rows
are never deleted.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control_plane.migrations.online import create_index_online
from control_plane.migrations.tenancy import confine_to_tenant
from control_plane.platform.database import SYSTEM_ROLE

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    create_index_online(
        "ix_call_participants_identity", "call_participants", ["tenant_id", "identity"]
    )
    create_index_online(
        "ix_call_batch_rows_to", "call_batch_rows", ["tenant_id", sa.text("(recipient ->> 'to')")]
    )
    create_index_online("ix_outbox_events_call", "outbox_events", [sa.text("(data ->> 'call_id')")])
    op.add_column("calls", sa.Column("erased_at", sa.DateTime(timezone=True)))
    op.execute(f"GRANT DELETE ON call_log_entries TO {SYSTEM_ROLE}")
    _create_erasures()


def _tenant_id() -> sa.Column[object]:
    return sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), nullable=False)


def _time(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now())


def _create_erasures() -> None:
    op.create_table(
        "erasures",
        sa.Column("id", sa.Uuid, primary_key=True),
        _tenant_id(),
        sa.Column("status", sa.Text, nullable=False, server_default="running"),
        sa.Column("sealed_caller", sa.Text),
        sa.Column("caller_hmac", sa.Text, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("requested_by", JSONB, nullable=False),
        _time("requested_at"),
        sa.Column("completed_at", sa.DateTime(timezone=True)),
        sa.Column("waits_for", sa.Text),
        sa.Column("proof", sa.Text),
        sa.Column("proof_sha256", sa.Text),
        sa.CheckConstraint("status IN ('running', 'completed', 'failed')", name="status"),
        sa.CheckConstraint(
            "status <> 'completed' OR (proof IS NOT NULL AND sealed_caller IS NULL)",
            name="proof_of_completed",
        ),
    )
    op.create_index("ix_erasures_newest", "erasures", ["tenant_id", "requested_at", "id"])
    confine_to_tenant("erasures")
    op.create_table(
        "erased_calls",
        sa.Column("erasure_id", sa.Uuid, sa.ForeignKey("erasures.id"), primary_key=True),
        sa.Column("call_id", sa.Uuid, primary_key=True),
        _tenant_id(),
        _time("erased_at"),
        sa.Column("erased", JSONB, nullable=False),
        sa.Column("objects", JSONB, nullable=False),
    )
    confine_to_tenant("erased_calls")
