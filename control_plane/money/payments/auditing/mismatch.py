"""What the audit of payments finds."""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID


class Mismatch(NamedTuple):
    """Amounts that should be the same."""

    tenant_id: UUID
    which: str
    expected: int
    found: int | None
    """``None``: there is nothing to compare with."""
    currency: str | None = None
