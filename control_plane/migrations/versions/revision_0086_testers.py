"""People who are invited by mail to try an agent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.migrations.tenancy import confine_to_tenant

revision = "0086"
down_revision = "0085"


def upgrade() -> None:
    op.create_table(
        "testers",
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), nullable=False),
        sa.Column("agent_id", sa.Uuid, nullable=False),
        sa.Column("email", sa.Text, nullable=False),
        sa.Column("sealed_token", sa.Text, nullable=False),
        sa.Column("token_hash", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("minutes_limit", sa.BigInteger, nullable=False),
        sa.Column("invite_sent", sa.Boolean, nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True)),
        sa.Column("minutes_requested_at", sa.DateTime(timezone=True)),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True)),
    )
    op.create_index(
        "uq_testers_open_invite",
        "testers",
        ["tenant_id", "agent_id", "email"],
        unique=True,
        postgresql_where=sa.text("revoked_at IS NULL"),
    )
    confine_to_tenant("testers")
