"""Numbers, the dialing queue and batches.

There is no foreign key to ``calls`` or ``call_participants``: creating one would block writes to
those tables, and their rows are never deleted.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control_plane.migrations.tenancy import confine_to_tenant

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    _create_numbers()
    _create_batches()
    _create_dialing_jobs()


def _time(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now())


def _moment(name: str, *, nullable: bool = True) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _tenant_id() -> sa.Column[object]:
    return sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), nullable=False)


def _create_numbers() -> None:
    op.create_table(
        "numbers",
        sa.Column("id", sa.Uuid, primary_key=True),
        _tenant_id(),
        sa.Column("number", sa.Text, nullable=False, unique=True),
        sa.Column("carrier", sa.Text),
        sa.Column("agent_id", sa.Uuid),
        sa.Column("is_managed", sa.Boolean, nullable=False),
        sa.Column("is_default", sa.Boolean, nullable=False),
        sa.Column("webhook_status", sa.Text),
        sa.Column("max_concurrent_calls", sa.BigInteger),
        _time("created_at"),
        sa.CheckConstraint("number ~ '^[+][0-9]+$'", name="number"),
        sa.CheckConstraint("max_concurrent_calls > 0", name="max_concurrent_calls"),
        sa.ForeignKeyConstraint(["tenant_id", "agent_id"], ["agents.tenant_id", "agents.id"]),
    )
    op.create_index("ix_numbers_newest", "numbers", ["tenant_id", "created_at", "id"])
    op.create_index(
        "uq_numbers_default",
        "numbers",
        ["tenant_id"],
        unique=True,
        postgresql_where="is_default",
    )
    confine_to_tenant("numbers")


def _create_batches() -> None:
    op.create_table(
        "call_batches",
        sa.Column("id", sa.Uuid, primary_key=True),
        _tenant_id(),
        sa.Column("agent_id", sa.Uuid, nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("request", JSONB, nullable=False),
        _time("created_at"),
        _moment("canceled_at"),
    )
    op.create_index("ix_call_batches_newest", "call_batches", ["tenant_id", "created_at", "id"])
    confine_to_tenant("call_batches")
    op.create_table(
        "call_batch_rows",
        sa.Column(
            "batch_id", sa.Uuid, sa.ForeignKey("call_batches.id"), nullable=False, primary_key=True
        ),
        sa.Column("position", sa.BigInteger, nullable=False, primary_key=True),
        _tenant_id(),
        sa.Column("recipient", JSONB, nullable=False),
        sa.Column("refusal_code", sa.Text),
        sa.Column("refusal", sa.Text),
        sa.Column("call_id", sa.Uuid, unique=True),
    )
    confine_to_tenant("call_batch_rows")


def _create_dialing_jobs() -> None:
    op.create_table(
        "dialing_jobs",
        sa.Column("id", sa.Uuid, primary_key=True),
        _tenant_id(),
        sa.Column("call_id", sa.Uuid, nullable=False),
        sa.Column("participant_id", sa.Uuid, nullable=False, unique=True),
        sa.Column("telephony_leg_id", sa.Uuid, nullable=False),
        sa.Column("carrier", sa.Text, nullable=False),
        sa.Column("to_number", sa.Text, nullable=False),
        sa.Column("from_number", sa.Text, nullable=False),
        sa.Column("priority", sa.BigInteger, nullable=False),
        sa.Column("schedule", JSONB, nullable=False),
        sa.Column("retry", JSONB, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        _moment("due_at", nullable=False),
        _moment("give_up_at", nullable=False),
        sa.Column("attempts", sa.BigInteger, nullable=False),
        sa.Column("attempt_id", sa.Uuid),
        sa.Column("stage", sa.Text),
        _moment("stage_at"),
        _moment("dial_before"),
        _moment("requested_at"),
        sa.Column("bridge_id", sa.Text),
        sa.Column("last_outcome", sa.Text),
        _time("created_at"),
        _moment("finished_at"),
        sa.CheckConstraint(
            "state IN ('waiting', 'active', 'completed', 'failed', 'canceled')", name="state"
        ),
        sa.CheckConstraint(
            "stage IN ('requested', 'dialing', 'ringing', 'answered')", name="stage"
        ),
        sa.CheckConstraint(
            "(state = 'active') = (attempt_id IS NOT NULL)"
            " AND (attempt_id IS NULL) = (stage IS NULL)",
            name="attempt",
        ),
    )
    op.create_index("ix_dialing_jobs_by_state", "dialing_jobs", ["tenant_id", "state"])
    op.create_index("ix_dialing_jobs_by_call", "dialing_jobs", ["call_id"])
    op.create_index(
        "ix_dialing_jobs_waiting",
        "dialing_jobs",
        ["tenant_id", sa.text("priority DESC"), "due_at", "id"],
        postgresql_where="state = 'waiting'",
    )
    op.create_index(
        "ix_dialing_jobs_give_up",
        "dialing_jobs",
        ["give_up_at"],
        postgresql_where="state = 'waiting'",
    )
    op.create_index(
        "ix_dialing_jobs_active",
        "dialing_jobs",
        ["tenant_id", "from_number"],
        postgresql_where="state = 'active'",
    )
    confine_to_tenant("dialing_jobs")
