"""Paused agents and the platform's switches."""

from __future__ import annotations

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    return
