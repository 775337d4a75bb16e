"""New participants as the API shows them to the client that adds them: with their access."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from control_plane.calling.calls.models import CallParticipant
from control_plane.calling.calls.participant_schemas import AddedParticipant
from control_plane.calling.calls.schemas import Access, JoiningParticipant, ParticipantView
from control_plane.calling.dialing.models import DialingJob
from control_plane.calling.realtime.access_token import RoomAccess, encode_access
from control_plane.platform.settings import ControlPlaneSettings


def joining_view(
    participant: CallParticipant, settings: ControlPlaneSettings
) -> JoiningParticipant:
    """A browser, which may join immediately."""
    shown = ParticipantView.model_validate(participant)
    return JoiningParticipant(**dict(shown), access=_access(participant, settings))


def added_view(
    participant: CallParticipant, leg: DialingJob | None, settings: ControlPlaneSettings
) -> AddedParticipant:
    """A browser, or a phone if there is a ``leg``."""
    shown = dict(ParticipantView.model_validate(participant))
    if leg is None:
        return AddedParticipant(**shown, access=_access(participant, settings))
    return AddedParticipant(**shown, telephony_leg_id=leg.telephony_leg_id, job_id=leg.id)


def _access(participant: CallParticipant, settings: ControlPlaneSettings) -> Access:
    token = encode_access(
        RoomAccess(participant.id, participant.call_id, participant.tenant_id),
        settings.secret_key,
        datetime.now(UTC),
        timedelta(seconds=settings.access_token_ttl_seconds),
    )
    return Access(url=f"{settings.public_url}/v1/rtc/{participant.call_id}", token=token)
