"""How far the analysis of a call is. Source: API spec, "Post-call intelligence"."""

from __future__ import annotations

from enum import StrEnum


class IntelligenceStatus(StrEnum):
    """``intelligence_status`` of a call. The API treats it as an open string."""

    PENDING = "pending"
    """The call still runs, or its analysis is queued or under way."""
    COMPLETED = "completed"
    """Everything that was asked for is there, but for what ``errors`` names."""
    FAILED = "failed"
    """Nothing could be found out; ``errors`` says why."""
    QUOTA = "quota"
    """The provider's quota is used up: nothing was found out, and trying again soon is useless."""
    SKIPPED = "skipped"
    """There is nothing to analyse: nothing was said, or nothing is asked for."""
