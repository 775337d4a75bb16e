"""Revisions and versions of agents."""

from __future__ import annotations

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    return
