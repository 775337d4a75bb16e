"""An index of what is due for each endpoint: the backlog of one costs the others nothing."""

from __future__ import annotations

from control_plane.migrations.online import create_index_online

revision = "0044"
down_revision = "0043"


def upgrade() -> None:
    create_index_online(
        "ix_webhook_deliveries_due_of_webhook",
        "webhook_deliveries",
        ["webhook_id", "next_try_at"],
        where="status = 'pending'",
    )
