"""Why a phone leg cannot be queued."""

from __future__ import annotations


class NeverDialable(ValueError):
    """The schedule leaves no time to dial the number. The message says what to change."""
