"""Calls keep what somebody thought of them."""

from __future__ import annotations

from alembic import op

revision = "0037"
down_revision = "0036"


def upgrade() -> None:
    op.execute("ALTER TABLE calls ADD COLUMN IF NOT EXISTS feedback jsonb")
