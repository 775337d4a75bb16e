"""Post-call intelligence and usage."""

from __future__ import annotations

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    pass
