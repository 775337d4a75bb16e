"""The operator settles parked events: applied after all, or discarded with a reason."""

from __future__ import annotations

from alembic import op

from control_plane.migrations.online import create_index_online
from control_plane.platform.database import SYSTEM_ROLE

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    # It can be repeated, because the index is built outside of the transaction.
    op.execute(
        """
        ALTER TABLE parked_events
            ADD COLUMN IF NOT EXISTS resolution text,
            ADD COLUMN IF NOT EXISTS resolution_reason text,
            ADD COLUMN IF NOT EXISTS resolved_by text,
            ADD COLUMN IF NOT EXISTS resolved_at timestamptz
        """
    )
    op.execute(
        "GRANT UPDATE (resolution, resolution_reason, resolved_by, resolved_at)"
        f" ON parked_events TO {SYSTEM_ROLE}"
    )
    create_index_online(
        "ix_parked_events_open", "parked_events", ["id"], where="resolved_at IS NULL"
    )
