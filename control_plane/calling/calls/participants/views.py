"""Participants as the API shows them: new ones with what they need to join."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from control_plane.calling.calls.models import CallParticipant
from control_plane.calling.calls.participants.schemas import AddedParticipant
from control_plane.calling.calls.schemas import (
    Access,
    CallParticipantView,
    JoiningParticipant,
)
from control_plane.calling.dialing.models import DialingJob
from control_plane.calling.realtime.access_token import RoomAccess, encode_access
from control_plane.platform.settings import ControlPlaneSettings


def joining_view(
    participant: CallParticipant, settings: ControlPlaneSettings
) -> JoiningParticipant:
    """A browser, which may join immediately."""
    return JoiningParticipant(**_fields(participant, None), access=_access(participant, settings))


def added_view(
    participant: CallParticipant, leg: DialingJob | None, settings: ControlPlaneSettings
) -> AddedParticipant:
    """A browser, or a phone if there is a ``leg``."""
    fields = _fields(participant, leg)
    if leg is None:
        return AddedParticipant(**fields, access=_access(participant, settings))
    return AddedParticipant(**fields, telephony_leg_id=leg.telephony_leg_id, job_id=leg.id)


def participant_view(participant: CallParticipant, leg: DialingJob | None) -> CallParticipantView:
    """A participant of an existing call."""
    return CallParticipantView(
        **_fields(participant, leg),
        telephony_leg_id=None if leg is None else leg.telephony_leg_id,
        job_id=None if leg is None else leg.id,
    )


def _fields(participant: CallParticipant, leg: DialingJob | None) -> dict[str, Any]:
    return {
        "id": participant.id,
        "role": participant.role,
        "transport": participant.transport,
        "identity": participant.identity,
        "status": participant.status,
        "from_number": None if leg is None else leg.from_number,
        "metadata": participant.details,
    }


def _access(participant: CallParticipant, settings: ControlPlaneSettings) -> Access:
    token = encode_access(
        RoomAccess(participant.id, participant.call_id, participant.tenant_id),
        settings.secret_key,
        datetime.now(UTC),
        timedelta(seconds=settings.access_token_ttl_seconds),
    )
    return Access(url=f"{settings.public_url}/v1/rtc/{participant.call_id}", token=token)
