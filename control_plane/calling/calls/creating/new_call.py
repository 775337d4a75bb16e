"""Creates calls."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import LONGEST_CALL_SECONDS, CallPlan, PriceRow
from contracts.call_status import CallStatus, ParticipantStatus
from contracts.dialing import MachineDetection
from control_plane.calling.calls.creating import repository
from control_plane.calling.calls.creating.call_caps import (
    Cap,
    Stranger,
    caps_of,
    check_caps,
    is_near,
)
from control_plane.calling.calls.creating.caller_id import caller_ids
from control_plane.calling.calls.creating.creation_facts import CreationFacts
from control_plane.calling.calls.creating.planning import PlanSources, callable_version, freeze_plan
from control_plane.calling.calls.errors import NoCapacity
from control_plane.calling.calls.models import Call, CallParticipant
from control_plane.calling.calls.plan_document import PlanDocument
from control_plane.calling.calls.schemas import CallCreate
from control_plane.calling.dialing.models import DialingJob
from control_plane.calling.dialing.retry import ONE_CALL, RetryRules
from control_plane.calling.dialing.schedule import Schedule
from control_plane.calling.dialing.service import (
    DEFAULT_PRIORITY,
    NOW,
    InboundLeg,
    add_inbound_leg,
    enqueue_leg,
)
from control_plane.money.billing import repository as accounts
from control_plane.money.billing import service as billing
from control_plane.money.billing.reserve import FIRST_RESERVE_SECONDS, first_funded_until_ms
from control_plane.platform.database import after_commit
from control_plane.platform.link.capacity import CapacityView
from control_plane.platform.settings import ControlPlaneSettings
from telemetry.tracing import record_of_call


@dataclass(frozen=True)
class NewCall:
    """A call that exists once its transaction is committed."""

    plan: CallPlan
    plan_document: PlanDocument
    status: CallStatus
    participants: tuple[CallParticipant, ...]
    dispatch_weight: int
    """How many calls its tenant sends to the workers in one turn."""
    legs: Mapping[UUID, DialingJob] = field(default_factory=dict)
    """The phone legs in the dialing queue, by participant."""

    @property
    def waits_for_phone(self) -> bool:
        """Whether the call is dispatched only after a phone was answered."""
        return self.status is CallStatus.QUEUED


async def create_call(
    session: AsyncSession,
    tenant_id: UUID,
    wanted: CallCreate,
    settings: ControlPlaneSettings,
    sources: PlanSources,
    *,
    stranger: Stranger | None = None,
    capacity: CapacityView | None = None,
    priority: int = DEFAULT_PRIORITY,
    schedule: Schedule = NOW,
    retry: RetryRules = ONE_CALL,
    inbound: InboundLeg | None = None,
    longest_seconds: int = LONGEST_CALL_SECONDS,
    payer_id: UUID | None = None,
) -> NewCall:
    """Freeze the plan, insert the call, reserve its first increment and queue its phones, in one
    transaction. A call to a phone only needs that much credit; it is reserved when it is dialed.

    The checks run in this order: do-not-call list (400), caller id (400), limits against toll fraud
    (403), calls stopped (503), agent (404), pause (423), published version (409); for browsers
    only, open calls (429) and free workers (503); variables of strangers (403), providers (422),
    credit (402). The caller must dispatch a call that does not wait for a phone after the commit.

    Args:
        stranger: who creates the call, if it is somebody with a publishable key.
        capacity: whether workers can begin the call; ``None``: do not ask.
        priority, schedule, retry: for the phone legs; see ``enqueue_leg``.
        inbound: the call's only participant calls us. The checks are those of a browser's call.
        longest_seconds: a limit of the call's duration beside the agent's own.
        payer_id: another tenant, who pays for the call. It needs a system session.

    Raises:
        NumberOnDoNotCallList: a participant must not be called.
        InvalidRequest: a participant cannot be reached.
        PlatformCallsDisabled, AgentNotFound, AgentAdminPaused, AgentNotPublishReady,
            ProviderKeyUnavailable: see ``freeze_plan``.
        TooManyCalls: the tenant, the key or the address has too many open calls.
        NoCapacity: no worker would begin the call in time.
        KeyScopeViolation: a stranger sets a variable that the agent's texts do not use.
        InsufficientCredits: the first increment is not available.
        NeverDialable: ``schedule`` leaves no time at which a phone can be dialed.
    """
    started_ns = time.time_ns()
    called_from = {}
    if inbound is None:
        called_from = await caller_ids(
            session, tenant_id, wanted.agent_id, wanted.participants, settings.dialing
        )
    telecom = [row for each in called_from.values() if (row := each.price_row) is not None]
    if inbound is not None and inbound.price_row is not None:
        telecom.append(inbound.price_row)
    waits_for_phone = bool(called_from)
    counted = settings.caps_calls and not waits_for_phone
    facts = await repository.creation_facts(
        session, tenant_id, wanted.agent_id, stranger, counted=counted
    )
    callable_version(facts)
    caps = [] if waits_for_phone else _caps(facts, settings, stranger)
    if not waits_for_phone:
        check_caps(caps, facts.open_calls, stranger)
        if capacity is not None and not await capacity.admit(tenant_id):
            raise NoCapacity.for_new_call(has_workers=capacity.has_workers)
    frozen = await freeze_plan(
        session,
        sources,
        facts,
        tenant_id,
        wanted,
        {position: caller_id.number for position, caller_id in called_from.items()},
        settings.available_providers,
        only_declared=stranger is not None and not stranger.may_set_undeclared_variables,
        telecom_prices=tuple(telecom),
        longest_seconds=longest_seconds,
    )
    plan = frozen.plan
    document = PlanDocument(
        tenant_id,
        plan.call_id,
        first_funded_until_ms(plan.highest_rate_micros_per_minute),
        plan.model_dump_json(by_alias=True),
    )
    status = CallStatus.QUEUED if waits_for_phone else CallStatus.CONNECTING
    participants = _participants(wanted, plan, calls_us=inbound is not None)
    await repository.insert_call(
        session, plan, document, status, participants, frozen.warnings, stranger, payer_id
    )
    if payer_id is not None:
        # For the count below: what holds the payer's credit makes no call of the tenant wait.
        await accounts.lock_accounts(session, {tenant_id, payer_id})
    await billing.reserve(
        session,
        payer_id or tenant_id,
        plan.call_id,
        FIRST_RESERVE_SECONDS,
        plan.highest_rate_micros_per_minute,
        # A phone may wait for days. Its credit is held when it is dialed.
        hold=not waits_for_phone,
        of_tenant_id=None if payer_id is None else tenant_id,
    )
    if caps and (not counted or is_near(caps, facts.open_calls)):
        # Since the reserve, the tenant's other calls wait for this one, so this count is exact.
        calls = await repository.open_calls(session, tenant_id, stranger)
        check_caps(caps, calls.without_the_newest(), stranger)
    call = Call(id=plan.call_id, tenant_id=tenant_id, agent_id=plan.agent_id, status=status.value)
    legs = {
        participants[position].id: await enqueue_leg(
            session,
            call,
            participants[position],
            caller_id,
            priority=priority,
            schedule=schedule,
            retry=retry,
            telecom_micros_per_minute=_rate(caller_id.price_row),
            machine_detection=_machine_detection(plan),
        )
        for position, caller_id in called_from.items()
    }
    if inbound is not None:
        rate = _rate(inbound.price_row)
        legs[participants[0].id] = await add_inbound_leg(
            session, call, participants[0], inbound, rate
        )
    after_commit(session, lambda: _trace(plan, started_ns))
    return NewCall(plan, document, status, participants, facts.dispatch_weight, legs)


def _rate(row: PriceRow | None) -> int:
    return 0 if row is None else row.micros_per_minute


def _machine_detection(plan: CallPlan) -> MachineDetection:
    voicemail = plan.agent.advanced.voicemail
    if voicemail is None:
        return "off"
    return "detect_and_wait" if voicemail.action == "leave_message" else "detect"


def _trace(plan: CallPlan, started_ns: int) -> None:
    attributes = {
        "tenant_id": str(plan.tenant_id),
        "agent_id": str(plan.agent_id),
        "transport": plan.participants[0].transport.value,
    }
    record_of_call("create call", plan.call_id, started_ns, attributes, is_root=True)


def _caps(
    facts: CreationFacts, settings: ControlPlaneSettings, stranger: Stranger | None
) -> list[Cap]:
    return caps_of(
        settings,
        stranger,
        tenant_at_once=facts.calls_at_once,
        tenant_not_joined=facts.calls_not_joined,
    )


def role_of(position: int) -> str:
    """The role of a participant: the first one in the request is the caller."""
    return "caller" if position == 0 else "participant"


def _participants(
    wanted: CallCreate, plan: CallPlan, *, calls_us: bool
) -> tuple[CallParticipant, ...]:
    phone = ParticipantStatus.RINGING if calls_us else ParticipantStatus.QUEUED
    return tuple(
        CallParticipant(
            id=planned.participant_id,
            tenant_id=plan.tenant_id,
            call_id=plan.call_id,
            position=position,
            role=role_of(position),
            transport=planned.transport.value,
            identity=planned.identity,
            status=(phone if given.transport == "pstn" else ParticipantStatus.JOINING).value,
            details=given.metadata,
        )
        for position, (planned, given) in enumerate(
            zip(plan.participants, wanted.participants, strict=True)
        )
    )
