"""Analyses of ended calls.

There is no foreign key to ``calls``: creating one would block writes to that table, and its rows
are never deleted.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control_plane.migrations.tenancy import confine_to_tenant

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.create_table(
        "call_analyses",
        sa.Column("call_id", sa.Uuid, primary_key=True),
        _tenant_id(),
        sa.Column("job_id", sa.Uuid),
        _moment("touched_at"),
        _moment("finished_at"),
        _moment("lean_sent_at"),
        sa.Column("segments", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("provider", sa.Text),
        sa.Column("model", sa.Text),
        sa.Column("summary", sa.Text),
        sa.Column("sentiment", sa.Text),
        sa.Column("structured_data", JSONB),
        sa.Column("evaluation", JSONB),
        sa.Column("errors", JSONB, nullable=False, server_default="[]"),
        sa.Column("usage", JSONB, nullable=False, server_default="{}"),
    )
    op.create_index(
        "ix_call_analyses_under_way",
        "call_analyses",
        ["touched_at"],
        postgresql_where="job_id IS NOT NULL",
    )
    confine_to_tenant("call_analyses")

    op.create_table(
        "paid_answers",
        sa.Column("job_id", sa.Uuid, primary_key=True),
        sa.Column("request_digest", sa.LargeBinary, primary_key=True),
        _tenant_id(),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("input_tokens", sa.BigInteger, nullable=False),
        sa.Column("output_tokens", sa.BigInteger, nullable=False),
    )
    confine_to_tenant("paid_answers")


def _tenant_id() -> sa.Column[object]:
    return sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), nullable=False)


def _moment(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True))
