"""Feedback on calls on the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Rating = Literal["up", "down"]


class FeedbackGiven(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"rating": "down", "comment": "It did not know the prices."}},
    )
    rating: Rating
    comment: Annotated[str, StringConstraints(strip_whitespace=True, max_length=1_000)] | None = (
        None
    )


class CallFeedback(BaseModel):
    """What somebody thought of the call."""

    rating: Rating
    comment: str | None
    given_at: datetime = Field(description="When it was last given.")
