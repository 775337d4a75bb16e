"""Accounts must have a confirmed mail address. Those that exist already need none."""

from __future__ import annotations

from alembic import op

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    # The rows that exist get the column's first default, without being written again.
    op.execute(
        "ALTER TABLE users"
        " ADD COLUMN IF NOT EXISTS confirmation_waived boolean NOT NULL DEFAULT true"
    )
    op.execute("ALTER TABLE users ALTER COLUMN confirmation_waived SET DEFAULT false")
