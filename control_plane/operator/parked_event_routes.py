"""``/v1/operator/parked-events``."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.calls.models import ParkedEvent
from control_plane.calling.calls.parked_events import repository, service
from control_plane.calling.calls.parked_events.errors import (
    ParkedEventNotApplicable,
    ParkedEventNotFound,
    ParkedEventResolved,
)
from control_plane.identity.authentication.dependencies import OperatorSession, Origin, operator
from control_plane.identity.tenants import repository as tenants
from control_plane.operator.parked_event_schemas import (
    Discarding,
    ParkedEventDetail,
    ParkedEventPage,
    ParkedEventView,
)
from control_plane.platform.audit.recording import OPERATOR, record_act
from control_plane.platform.http.dependencies import AppDatabase
from control_plane.platform.http.openapi import AUTHENTICATED, problems
from control_plane.platform.link import commands
from control_plane.platform.link.link import AppLink
from control_plane.platform.tenancy.caller import RequestOrigin
from link.connection import LINK_ERRORS

router = APIRouter(
    prefix="/v1/operator/parked-events",
    tags=["operator"],
    responses=problems(*AUTHENTICATED),
)

ParkedEventId = Annotated[int, Path(ge=1, le=2**63 - 1)]


@router.get("")
async def list_parked_events(
    session: OperatorSession,
    resolved: bool = False,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[int | None, Query(ge=1, le=2**63 - 1)] = None,
) -> ParkedEventPage:
    """List the events that could not be applied, newest first: those that still wait for you, or
    with `resolved` those that were settled. `cursor` is the `next_cursor` of the previous page."""
    found = await repository.page_of(session, is_resolved=resolved, after=cursor, limit=limit + 1)
    shown = found[:limit]
    return ParkedEventPage(
        parked_events=[ParkedEventView.of(parked, service.envelope_of(parked)) for parked in shown],
        waiting=await repository.open_events(session),
        next_cursor=shown[-1].id if len(found) > limit else None,
    )


@router.get("/{parked_event_id}", responses=problems(ParkedEventNotFound))
async def get_parked_event(
    parked_event_id: ParkedEventId, session: OperatorSession
) -> ParkedEventDetail:
    """Show one parked event with everything that its worker sent."""
    parked = await repository.find(session, parked_event_id)
    if parked is None:
        raise ParkedEventNotFound
    return _detail(parked)


@router.post(
    "/{parked_event_id}/retry",
    dependencies=[Depends(operator)],
    responses=problems(ParkedEventNotFound, ParkedEventResolved, ParkedEventNotApplicable),
)
async def retry_parked_event(
    parked_event_id: ParkedEventId, database: AppDatabase, link: AppLink, origin: Origin
) -> ParkedEventDetail:
    """Apply a parked event, for example after an upgrade to a release that can. If it cannot be
    applied, the answer says why, and the event stays parked."""
    async with database.system_session() as session:
        settled = await service.retry(session, parked_event_id)
        await _record(session, settled, "event.applied_late", origin)
        shown = _detail(settled.parked)
    answer = settled.answer
    if answer is not None and shown.call_id is not None:
        # The answers to the call's next events say the same.
        with suppress(*LINK_ERRORS):
            await commands.send(link.redis, answer.worker_id, shown.call_id, answer.command)
    return shown


@router.post(
    "/{parked_event_id}/discard", responses=problems(ParkedEventNotFound, ParkedEventResolved)
)
async def discard_parked_event(
    parked_event_id: ParkedEventId, wanted: Discarding, session: OperatorSession, origin: Origin
) -> ParkedEventDetail:
    """Settle a parked event without applying it. It is kept, with your reason."""
    settled = await service.discard(session, parked_event_id, wanted.reason, wanted.discarded_by)
    await _record(session, settled, "event.discarded", origin)
    return _detail(settled.parked)


async def _record(
    session: AsyncSession, settled: service.Settled, action: str, origin: RequestOrigin
) -> None:
    """In the audit log of the tenant that the event names, if there is one."""
    parked = settled.parked
    if not settled.is_new:
        return
    envelope = service.envelope_of(parked)
    if envelope is None or await tenants.find(session, envelope.tenant_id) is None:
        return
    record_act(
        session,
        envelope.tenant_id,
        OPERATOR,
        origin,
        action,
        target_id=envelope.call_id,
        changes={
            "parked_event_id": parked.id,
            "seq": envelope.seq,
            "reason": parked.resolution_reason,
            "discarded_by": parked.resolved_by,
        },
    )


def _detail(parked: ParkedEvent) -> ParkedEventDetail:
    return ParkedEventDetail.of(parked, service.envelope_of(parked))
