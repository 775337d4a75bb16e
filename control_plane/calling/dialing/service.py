"""Putting phone legs into the dialing queue, and those of people who call us beside it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import LONGEST_WAIT_SECONDS, PriceRow
from contracts.dialing import LegStage, MachineDetection
from control_plane.calling.calls.creating.caller_id import CallerId
from control_plane.calling.calls.models import Call, CallParticipant
from control_plane.calling.dialing import repository
from control_plane.calling.dialing.callee_zones import callee_zones
from control_plane.calling.dialing.errors import NeverDialable
from control_plane.calling.dialing.models import INBOUND, DialingJob, JobState
from control_plane.calling.dialing.retry import ONE_CALL, RetryRules
from control_plane.calling.dialing.schedule import Openings, Schedule

DEFAULT_PRIORITY = 5
LOWEST_PRIORITY, HIGHEST_REQUESTED_PRIORITY = 0, 9
HIGHEST_PRIORITY = HIGHEST_REQUESTED_PRIORITY + 1
"""Of phones that no request can be more urgent than: a caller waits for them."""
LONGEST_WAIT = timedelta(seconds=LONGEST_WAIT_SECONDS)
"""A leg that could not be dialed for this long is given up."""

NOW = Schedule()


async def enqueue_leg(
    session: AsyncSession,
    call: Call,
    participant: CallParticipant,
    caller_id: CallerId,
    *,
    priority: int = DEFAULT_PRIORITY,
    schedule: Schedule = NOW,
    retry: RetryRules = ONE_CALL,
    telecom_micros_per_minute: int = 0,
    price_row: PriceRow | None = None,
    machine_detection: MachineDetection = "off",
) -> DialingJob:
    """Queue the phone leg of ``participant``, whose ``identity`` is the number, in E.164.

    The job commits with ``session``; the jobs process dials it as soon as schedule and limits
    allow. Its ``id`` and ``telephony_leg_id`` are what the API shows of the participant.

    Args:
        call: its row is in the database, whether or not the object is in ``session``.
        caller_id: see ``control_plane.calling.calls.creating.caller_id.caller_ids``.
        priority: higher is dialed sooner.
        telecom_micros_per_minute: what a minute costs the tenant.
        price_row: that price, of a phone that is not in the call's plan.

    Raises:
        NeverDialable: ``schedule`` leaves no time to dial the number.
    """
    now = datetime.now(UTC)
    job = DialingJob(
        tenant_id=call.tenant_id,
        call_id=call.id,
        participant_id=participant.id,
        carrier=caller_id.carrier,
        carrier_account_id=caller_id.account_id,
        telecom_micros_per_minute=telecom_micros_per_minute,
        machine_detection=machine_detection,
        price_row=None if price_row is None else price_row.model_dump(mode="json"),
        to_number=participant.identity,
        from_number=caller_id.number,
        priority=priority,
        schedule=schedule.model_dump(mode="json", exclude_none=True),
        retry=retry.model_dump(mode="json"),
        due_at=await first_dialing(schedule, participant.identity, Openings(now)),
        give_up_at=min(now + LONGEST_WAIT, schedule.not_after or datetime.max.replace(tzinfo=UTC)),
    )
    session.add(job)
    await session.flush()
    await repository.note_due(session, call, job.due_at)
    return job


@dataclass(frozen=True)
class InboundLeg:
    """A caller that waits at a carrier, on one of the tenant's numbers.

    Args:
        to_number: E.164, the tenant's.
        from_number: E.164; ``None`` if the caller withholds it.
        carrier_call_id: the carrier's own id, unique within the account.
        bridge_id: of the bridge that the carrier has asked.
    """

    to_number: str
    from_number: str | None
    carrier: str
    account_id: UUID
    carrier_call_id: str
    bridge_id: str
    price_row: PriceRow | None = None
    """What a minute costs the tenant; ``None``: nothing here."""


async def add_inbound_leg(
    session: AsyncSession,
    call: Call,
    participant: CallParticipant,
    leg: InboundLeg,
    telecom_micros_per_minute: int,
) -> DialingJob:
    """Follow the leg of somebody who calls us like one that we dialed and that rings.

    Raises:
        IntegrityError: the carrier's call has a leg already.
    """
    now = datetime.now(UTC)
    job = DialingJob(
        tenant_id=call.tenant_id,
        call_id=call.id,
        participant_id=participant.id,
        direction=INBOUND,
        carrier=leg.carrier,
        carrier_account_id=leg.account_id,
        carrier_call_id=leg.carrier_call_id,
        telecom_micros_per_minute=telecom_micros_per_minute,
        to_number=leg.to_number,
        from_number=leg.from_number or "",
        priority=HIGHEST_PRIORITY,
        schedule=NOW.model_dump(mode="json", exclude_none=True),
        retry=ONE_CALL.model_dump(mode="json"),
        state=JobState.ACTIVE,
        due_at=now,
        give_up_at=now,
        attempts=1,
        attempt_id=uuid4(),
        stage=LegStage.RINGING,
        stage_at=now,
        dial_before=now,
        requested_at=now,
        bridge_id=leg.bridge_id,
    )
    session.add(job)
    await session.flush()
    return job


async def first_dialing(schedule: Schedule, number: str, openings: Openings) -> datetime:
    """When ``schedule`` first allows dialing ``number``.

    Raises:
        NeverDialable: not within a week.
    """
    last = openings.earliest + LONGEST_WAIT
    # First, because the calendar ends soon after the latest time that a schedule can name.
    if schedule.not_before is not None and schedule.not_before > last:
        raise NeverDialable("schedule.not_before is more than a week from now")
    zones = () if schedule.window is None else await callee_zones(schedule, number)
    if schedule.window is not None and not zones:
        raise NeverDialable(f"the time zone of {number} is not known; give schedule.timezone")
    opening = openings.next(schedule, zones)
    if opening is not None and opening <= last:
        return opening
    if len(zones) > 1:
        raise NeverDialable(
            f"{number} can be in {len(zones)} time zones, and the window does not open in all of "
            "them at once within a week; give schedule.timezone"
        )
    raise NeverDialable("the schedule leaves no time to dial within a week from now")
