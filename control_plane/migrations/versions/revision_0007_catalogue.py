"""Managed SKUs, provider capabilities and what the catalogue says of each model."""

from __future__ import annotations

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    return
