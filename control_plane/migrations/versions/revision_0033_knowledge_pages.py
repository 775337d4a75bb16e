"""Agents keep the texts of the web pages that their knowledge bases name."""

from __future__ import annotations

from alembic import op

revision = "0033"
down_revision = "0032"


def upgrade() -> None:
    # A default in the database, for rows that exist and for processes that do not know the column.
    op.execute(
        "ALTER TABLE agents"
        " ADD COLUMN IF NOT EXISTS knowledge_pages jsonb NOT NULL DEFAULT '[]'::jsonb"
    )
