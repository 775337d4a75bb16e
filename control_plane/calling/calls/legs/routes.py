"""``/v1/calls/{call_id}/legs``: the phones of a call, and the keys that were pressed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from fastapi import APIRouter

from contracts.money import usd
from control_plane.calling.calls.errors import CallNotFound
from control_plane.calling.calls.legs.schemas import LegKeys, PhoneLeg, PhoneLegList
from control_plane.calling.calls.models import CallLogEntry, CallParticipant
from control_plane.calling.calls.queries import call_records
from control_plane.calling.dialing.models import DialingJob, JobState
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.platform.http.openapi import problems

router = APIRouter(prefix="/v1/calls", tags=["calls"])


@router.get("/{call_id}/legs", responses=problems(*MEMBER_ONLY, CallNotFound))
async def list_call_legs(
    call_id: UUID, caller: MemberCaller, session: TenantSession
) -> PhoneLegList:
    """The phones of a call: how far each has come, and the keys that were pressed on it. Browsers
    are not among them."""
    call = await call_records.find_call(session, caller.tenant_id, call_id)
    if call is None:
        raise CallNotFound
    people = await call_records.participants_with_legs(session, caller.tenant_id, call_id)
    lines = await call_records.lines_with_keys(session, caller.tenant_id, call_id)
    return PhoneLegList(
        legs=[_leg(person, job, lines) for person, job in people if job is not None]
    )


def _leg(person: CallParticipant, job: DialingJob, lines: Iterable[CallLogEntry]) -> PhoneLeg:
    pressed: list[tuple[CallLogEntry, dict[str, Any]]] = [
        (line, line.keys)
        for line in lines
        if line.keys is not None and line.keys["participant_id"] == str(person.id)
    ]
    return PhoneLeg.model_validate(
        {
            "telephony_leg_id": job.telephony_leg_id,
            "job_id": job.id,
            "participant_id": person.id,
            "direction": job.direction,
            "carrier": job.carrier,
            "from_number": job.from_number or None,
            "to_number": job.to_number,
            "status": person.status,
            "state": job.state,
            "attempts": job.attempts,
            "last_outcome": job.last_outcome,
            "requested_at": job.created_at,
            "due_at": job.due_at if job.state == JobState.WAITING else None,
            "joined_at": person.joined_at,
            "left_at": person.left_at,
            "price_per_min": usd(job.telecom_micros_per_minute),
            "keys": [
                LegKeys(
                    direction=keys["direction"],
                    digits=keys["digits"],
                    pressed_at=line.created_at,
                )
                for line, keys in pressed
            ],
        }
    )
