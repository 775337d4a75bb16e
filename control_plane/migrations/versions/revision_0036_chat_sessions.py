"""Chats: an agent as it was when the chat began, and what was said."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control_plane.migrations.tenancy import confine_to_tenant

revision = "0036"
down_revision = "0035"

_CHATS = "chat_sessions"


def upgrade() -> None:
    op.create_table(
        _CHATS,
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), nullable=False),
        sa.Column("agent_id", sa.Uuid, nullable=False),
        sa.Column("agent_version", sa.Integer),
        sa.Column("agent", JSONB, nullable=False),
        sa.Column("compiled_prompt", sa.Text, nullable=False),
        sa.Column("locale", sa.Text, nullable=False),
        sa.Column("llm", JSONB, nullable=False),
        sa.Column("variables", JSONB, nullable=False),
        sa.Column("run_tools", sa.Boolean, nullable=False),
        sa.Column("warnings", JSONB, nullable=False),
        sa.Column("messages", JSONB, nullable=False),
        sa.Column("collected", JSONB, nullable=False),
        _time("created_at", nullable=False),
        _time("expires_at", nullable=False),
        _time("ended_at"),
        _time("answering_until"),
    )
    op.create_index("ix_chat_sessions_of_tenant", _CHATS, ["tenant_id", "expires_at"])
    op.create_index("ix_chat_sessions_expiry", _CHATS, ["expires_at"])
    confine_to_tenant(_CHATS)


def _time(name: str, *, nullable: bool = True) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)
