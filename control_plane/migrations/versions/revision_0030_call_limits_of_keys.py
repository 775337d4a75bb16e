"""Publishable keys: what a call with one may bring along."""

from __future__ import annotations

from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    """Keys that exist get the defaults."""
    op.execute("ALTER TABLE api_keys ADD COLUMN IF NOT EXISTS call_limits jsonb")
