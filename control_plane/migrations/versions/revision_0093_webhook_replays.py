"""A delivery says whether it is a replay, and an index finds what is new behind a long replay.

The index of revision 0044 stays for the processes of the release before.
"""

from __future__ import annotations

from alembic import op

from control_plane.migrations.online import create_index_online

revision = "0093"
down_revision = "0092"


def upgrade() -> None:
    op.execute(
        "ALTER TABLE webhook_deliveries"
        " ADD COLUMN IF NOT EXISTS is_replay boolean NOT NULL DEFAULT false"
    )
    create_index_online(
        "ix_webhook_deliveries_due_of_kind",
        "webhook_deliveries",
        ["webhook_id", "is_replay", "next_try_at"],
        where="status = 'pending'",
    )
