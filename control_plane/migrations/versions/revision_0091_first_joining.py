"""A participant's first connection is kept: a phone costs money from then on, also when its
connection is lost and comes back."""

from __future__ import annotations

from alembic import op

revision = "0091"
down_revision = "0090"


def upgrade() -> None:
    op.execute("ALTER TABLE call_participants ADD COLUMN IF NOT EXISTS first_joined_at timestamptz")
