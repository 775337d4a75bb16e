"""What a phone costs that is added to a call, and the keys of phones in the event log."""

from __future__ import annotations

from alembic import op

from control_plane.migrations.online import release_locks

revision = "0066"
down_revision = "0056"


def upgrade() -> None:
    op.execute(
        "ALTER TABLE dialing_jobs"
        " ADD COLUMN IF NOT EXISTS price_row jsonb,"
        " ADD COLUMN IF NOT EXISTS billed_from_ms bigint,"
        " ADD COLUMN IF NOT EXISTS billed_until_ms bigint"
    )
    release_locks()
    op.execute("ALTER TABLE call_log_entries ADD COLUMN IF NOT EXISTS keys jsonb")
