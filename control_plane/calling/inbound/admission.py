"""Whether a call to one of our numbers is taken, by the checks of `POST /v1/calls`, and its
creation.

The bridge has checked the carrier's signature, so what the account says about a call is true.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from uuid import UUID

import structlog
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.inbound_calls import (
    InboundAdmitted,
    InboundCall,
    InboundRefusal,
    InboundRefused,
)
from control_plane.building.agents.errors import AgentNotFound, AgentNotPublishReady
from control_plane.calling.calls.creating.new_call import NewCall, create_call
from control_plane.calling.calls.creating.planning import PlanSources
from control_plane.calling.calls.errors import NoCapacity, ProviderKeyUnavailable, TooManyCalls
from control_plane.calling.calls.plan_document import PlanDocument
from control_plane.calling.calls.schemas import CallCreate, ParticipantInput
from control_plane.calling.carriers import repository as accounts
from control_plane.calling.carriers.models import CarrierAccountRecord
from control_plane.calling.dialing import repository as dialing
from control_plane.calling.dialing.models import INBOUND, DialingJob
from control_plane.calling.dialing.service import InboundLeg
from control_plane.calling.inbound.numbers_as_written import from_carrier
from control_plane.calling.numbers import repository as numbers
from control_plane.calling.numbers.models import Number
from control_plane.calling.pauses.errors import AgentAdminPaused, PlatformCallsDisabled
from control_plane.calling.telecom.repository import price_of
from control_plane.money.billing.errors import InsufficientCredits
from control_plane.platform.database import Database
from control_plane.platform.errors import Problem
from control_plane.platform.link.capacity import CapacityView
from control_plane.platform.settings import ControlPlaneSettings

WITHHELD = "anonymous"
"""The identity of a caller without a number."""

KIND_OF: Mapping[type[Problem], InboundRefusal] = MappingProxyType(
    {
        AgentNotFound: InboundRefusal.NO_AGENT,
        AgentAdminPaused: InboundRefusal.AGENT_UNAVAILABLE,
        AgentNotPublishReady: InboundRefusal.AGENT_UNAVAILABLE,
        ProviderKeyUnavailable: InboundRefusal.AGENT_UNAVAILABLE,
        PlatformCallsDisabled: InboundRefusal.CALLS_DISABLED,
        InsufficientCredits: InboundRefusal.INSUFFICIENT_FUNDS,
        TooManyCalls: InboundRefusal.BUSY,
        NoCapacity: InboundRefusal.BUSY,
    }
)
_log = structlog.get_logger(__name__)


class _Refused(Exception):
    def __init__(self, kind: InboundRefusal, detail: str) -> None:
        super().__init__(detail)
        self.answer = InboundRefused(kind=kind, detail=detail)


@dataclass(frozen=True)
class Admission:
    """``plan`` is to be offered to the workers; ``None`` if that was done, or nothing is."""

    answer: InboundAdmitted | InboundRefused
    plan: PlanDocument | None = None


class InboundAdmission:
    """Each jobs process has one."""

    def __init__(
        self, database: Database, settings: ControlPlaneSettings, capacity: CapacityView
    ) -> None:
        self._database = database
        self._settings = settings
        self._capacity = capacity
        self._sources = PlanSources()

    async def admit(self, call: InboundCall) -> Admission:
        """Create the call, or say why not. The same ``carrier_call_id`` gives the same call.

        Raises:
            DatabaseUnavailable: PostgreSQL is down.
        """
        try:
            return await self._admit(call)
        except IntegrityError:
            # Another process has just created it for the same webhook.
            async with self._database.system_session() as session:
                known = await dialing.inbound_job(session, call.account_id, call.carrier_call_id)
            if known is None:
                raise
            return Admission(_admitted(known))
        except _Refused as refused:
            return Admission(refused.answer)
        except Problem as problem:
            kind = KIND_OF.get(type(problem))
            if kind is None:
                raise
            return Admission(InboundRefused(kind=kind, detail=problem.detail))

    async def _admit(self, call: InboundCall) -> Admission:
        # In a transaction of its own: what the webhook proves stands, whatever becomes of the call,
        # and calls to one number do not wait for each other.
        async with self._database.system_session() as session:
            known = await dialing.inbound_job(session, call.account_id, call.carrier_call_id)
            if known is not None:
                return Admission(_admitted(known))
            account = await accounts.find_any(session, call.account_id)
            if account is None:
                raise _Refused(
                    InboundRefusal.UNKNOWN_NUMBER, f"no account {call.account_id} exists"
                )
            number = await _number(session, account, call.to_number)
            _note_proof(number, account)
        if number.agent_id is None:
            raise _Refused(InboundRefusal.NO_AGENT, f"no agent answers {number.number}")
        async with self._database.system_session() as session:
            await self._check_line(session, number)
            new = await self._create(session, account, number, number.agent_id, call)
        (job,) = new.legs.values()
        return Admission(_admitted(job), new.plan_document)

    async def _check_line(self, session: AsyncSession, number: Number) -> None:
        limit = number.max_concurrent_calls
        if limit is None:
            return
        # Locked, so that two calls do not both take the last line.
        await numbers.locked(session, number.tenant_id, number.number)
        if await dialing.active_inbound(session, number.tenant_id, number.number) >= limit:
            raise _Refused(
                InboundRefusal.BUSY, f"{number.number} takes {limit} calls at a time, and has them"
            )

    async def _create(
        self,
        session: AsyncSession,
        account: CarrierAccountRecord,
        number: Number,
        agent_id: UUID,
        call: InboundCall,
    ) -> NewCall:
        caller = from_carrier(call.from_number)
        price = None
        if account.tenant_id is None:
            now = datetime.now(UTC)
            price = await price_of(session, account.provider, INBOUND, number.number, now)
        return await create_call(
            session,
            number.tenant_id,
            CallCreate(
                agent_id=agent_id,
                participants=[ParticipantInput(transport="pstn", identity=caller or WITHHELD)],
                metadata={},
                variables={"caller_number": caller or "", "called_number": number.number},
            ),
            self._settings,
            self._sources,
            capacity=self._capacity,
            inbound=InboundLeg(
                to_number=number.number,
                from_number=caller,
                carrier=account.provider,
                account_id=account.id,
                carrier_call_id=call.carrier_call_id,
                bridge_id=call.bridge_id,
                price_row=None if price is None else price.row,
            ),
        )


async def _number(session: AsyncSession, account: CarrierAccountRecord, text: str) -> Number:
    """The number as its owner has registered it: the tenant whose account it is, or the tenant to
    whom the operator gave it."""
    called = from_carrier(text)
    found = None
    if called is not None and account.tenant_id is not None:
        found = await numbers.locked(session, account.tenant_id, called)
        if found is not None and found.is_managed:
            found = None
    elif called is not None:
        found = await numbers.of_account(session, account.id, called)
    if found is None:
        raise _Refused(
            InboundRefusal.UNKNOWN_NUMBER,
            f"{called or 'what was called'} is not a number of account {account.id}",
        )
    return found


def _note_proof(number: Number, account: CarrierAccountRecord) -> None:
    """A signed webhook has come for the number: its calls are the account's from now on."""
    if number.is_managed:
        return
    if number.verified_by is None:
        number.verified_by = "webhook"
    if number.carrier_account_id != account.id:
        number.carrier_account_id = account.id
        number.carrier = account.provider
    if number.webhook_status != "configured":
        number.webhook_status = "configured"
        number.webhook_error = None


def _admitted(job: DialingJob) -> InboundAdmitted | InboundRefused:
    if job.attempt_id is None:
        return InboundRefused(
            kind=InboundRefusal.UNAVAILABLE, detail=f"call {job.call_id} is over already"
        )
    return InboundAdmitted(
        call_id=job.call_id,
        tenant_id=job.tenant_id,
        participant_id=job.participant_id,
        attempt_id=job.attempt_id,
        telephony_leg_id=job.telephony_leg_id,
        from_number=job.from_number or None,
        to_number=job.to_number,
    )
