"""Why a phone leg cannot be queued."""

from __future__ import annotations


class NeverDialable(ValueError):
    """The schedule leaves no moment at which the number may be dialed; says what to change."""
