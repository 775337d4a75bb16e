"""Old events of gateways are found by their age, to be deleted."""

from __future__ import annotations

from control_plane.migrations.online import create_index_online

revision = "0069"
down_revision = "0066"


def upgrade() -> None:
    create_index_online("ix_gateway_events_received", "gateway_events", ["received_at"])
