"""What confines and rotates API keys, and the do-not-call list."""

from __future__ import annotations

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    return
