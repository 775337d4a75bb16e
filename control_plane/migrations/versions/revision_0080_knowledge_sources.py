"""What agents can look up in calls, and how much of it a plan allows."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.migrations.tenancy import confine_to_tenant

revision = "0080"
down_revision = "0069"

_LIMITS = (
    "knowledge_sources_max",
    "knowledge_bytes_max",
    "knowledge_sources_soft_max",
    "knowledge_bytes_soft_max",
)


def upgrade() -> None:
    for limit in _LIMITS:
        op.execute(
            f"ALTER TABLE plans ADD COLUMN IF NOT EXISTS {limit} bigint CHECK ({limit} >= 0)"
        )
    op.create_table(
        "knowledge_sources",
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), nullable=False),
        sa.Column("agent_id", sa.Uuid, sa.ForeignKey("agents.id"), nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("source_uri", sa.Text),
        sa.Column("format", sa.Text),
        sa.Column("status", sa.Text, nullable=False, server_default="pending"),
        sa.Column("progress", sa.Float, nullable=False, server_default="0"),
        sa.Column("chunk_count", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.Column("failure_reason", sa.Text),
        sa.Column("content", sa.LargeBinary),
        sa.Column("content_digest", sa.Text),
        sa.Column("bundle_digest", sa.Text),
        *(
            sa.Column(
                name, sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()
            )
            for name in ("created_at", "updated_at")
        ),
        sa.CheckConstraint("kind IN ('text', 'url', 'file')", name="kind"),
        sa.CheckConstraint("status IN ('pending', 'ready', 'failed')", name="status"),
    )
    op.create_index("ix_knowledge_sources_agent", "knowledge_sources", ["tenant_id", "agent_id"])
    op.create_index("ix_knowledge_sources_agent_id", "knowledge_sources", ["agent_id"])
    confine_to_tenant("knowledge_sources")
