"""What an added phone costs, whether carriers listen for machines, and keys in the event log."""

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
        " ADD COLUMN IF NOT EXISTS billed_until_ms bigint,"
        " ADD COLUMN IF NOT EXISTS machine_detection text NOT NULL DEFAULT 'off'"
    )
    release_locks()
    op.execute("ALTER TABLE call_log_entries ADD COLUMN IF NOT EXISTS keys jsonb")
