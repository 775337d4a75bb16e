"""What the state table and the reapers need to know of a call."""

from __future__ import annotations

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    pass
