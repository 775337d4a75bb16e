"""The event log of a call says which lines tell of a model that took over from another.

Lines of processes of the previous release lack it: they say so in their text only.
"""

from __future__ import annotations

from alembic import op

revision = "0094"
down_revision = "0093"


def upgrade() -> None:
    op.execute("ALTER TABLE call_log_entries ADD COLUMN IF NOT EXISTS switch jsonb")
