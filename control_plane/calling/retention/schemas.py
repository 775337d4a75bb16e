"""Requests and responses of data retention."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StrictInt
from pydantic.config import JsonDict

Days = Annotated[StrictInt, Field(ge=1, le=36_500)]
_EXAMPLE: JsonDict = {
    "recording_retention_days": 30,
    "transcript_retention_days": 365,
    "event_log_retention_days": None,
}


class DataRetentionChanges(BaseModel):
    """Fields that you leave out stay as they are; null keeps the data for good."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": _EXAMPLE})
    recording_retention_days: Days | None = None
    transcript_retention_days: Days | None = None
    event_log_retention_days: Days | None = None


class DataRetentionView(BaseModel):
    """Days from the creation of a call until its data is deleted; null: never."""

    model_config = ConfigDict(json_schema_extra={"example": _EXAMPLE})
    recording_retention_days: int | None = Field(description="The audio of calls.")
    transcript_retention_days: int | None = Field(
        description="Transcripts, collected values, analyses, and webhook events that hold them."
    )
    event_log_retention_days: int | None = Field(
        description="The event logs of calls, and their webhook events."
    )
