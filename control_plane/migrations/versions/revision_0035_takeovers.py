"""Calls note which agents took over, and when, so that each is billed at its own rate."""

from __future__ import annotations

from alembic import op

revision = "0035"
down_revision = "0034"


def upgrade() -> None:
    op.execute("ALTER TABLE calls ADD COLUMN IF NOT EXISTS takeovers jsonb")
