"""Users with passwords, memberships, dashboard sessions and invitations."""

from __future__ import annotations

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    return
