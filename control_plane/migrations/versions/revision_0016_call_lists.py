"""Lists of calls that stay quick with a million of them."""

from __future__ import annotations

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    pass
