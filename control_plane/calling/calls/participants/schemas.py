"""Request and response of adding participants. Source: API spec, "Call" ("Participant input",
"output")."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from control_plane.calling.calls.schemas import (
    MAX_PARTICIPANTS,
    Access,
    FullParticipant,
    ParticipantInput,
)


class ParticipantsRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {"participants": [{"transport": "webrtc", "identity": "bo"}]}
        },
    )
    participants: Annotated[
        list[ParticipantInput], Field(min_length=1, max_length=MAX_PARTICIPANTS)
    ]


class AddedParticipant(FullParticipant):
    """A participant with what its transport needs: `access` for a browser, `telephony_leg_id` and
    `job_id` for a phone."""

    access: Access | None = None
    telephony_leg_id: UUID | None = None
    job_id: UUID | None = None


class CallQueued(BaseModel):
    """A new call that waits until a phone is answered."""

    id: UUID
    room_name: str
    status: str
    participants: list[AddedParticipant]


class ParticipantsAdded(BaseModel):
    id: UUID = Field(description="Id of the call.")
    room_name: str
    status: str = Field(description="Status of the call.")
    participants: list[AddedParticipant] = Field(description="The participants that were added.")
