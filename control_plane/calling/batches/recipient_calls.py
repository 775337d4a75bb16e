"""The calls to the recipients of a batch: creating them, and canceling those that wait."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.versions import read_object
from control_plane.calling.batches import repository
from control_plane.calling.batches.models import BatchRow, CallBatch
from control_plane.calling.batches.schemas import BatchRequest, Recipient
from control_plane.calling.calls import repository as calls
from control_plane.calling.calls.creating.new_call import create_call
from control_plane.calling.calls.creating.planning import PlanSources
from control_plane.calling.calls.events.dial_progress import cancel_queued
from control_plane.calling.calls.schemas import CallCreate, ParticipantInput
from control_plane.platform.settings import ControlPlaneSettings

CALLS_AT_ONCE = 20
"""In one transaction. It locks the tenant's account, and the tenant's other calls wait for it."""


async def make_call(
    session: AsyncSession,
    batch: CallBatch,
    row: BatchRow,
    settings: ControlPlaneSettings,
    sources: PlanSources,
) -> UUID:
    """Create and queue the call of an accepted row; returns its id.

    Raises:
        Problem: ``create_call`` refuses the call.
        NeverDialable: its schedule leaves no time to dial.
    """
    recipient = read_object(Recipient, row.recipient)
    shared = read_object(BatchRequest, batch.request | {"recipients": [row.recipient]})
    wanted = CallCreate(
        agent_id=batch.agent_id,
        participants=[
            ParticipantInput(
                transport="pstn", identity=recipient.to, from_number=recipient.from_number
            )
        ],
        metadata=shared.metadata | recipient.metadata,
        variables=shared.variables | recipient.variables,
        post_call=shared.post_call,
    )
    made = await create_call(
        session,
        batch.tenant_id,
        wanted,
        settings,
        sources,
        priority=shared.priority if recipient.priority is None else recipient.priority,
        schedule=recipient.schedule or shared.schedule,
        retry=shared.retry,
    )
    return made.plan.call_id


async def cancel_waiting_calls(session: AsyncSession, tenant_id: UUID, batch_id: UUID) -> bool:
    """Cancel up to ``CALLS_AT_ONCE`` calls of the batch that wait to be dialed.

    Ending the first call locks the tenant's account. Who waits for that may hold another call, so
    all of them are locked before.

    Returns:
        Whether there were any.
    """
    waiting = await repository.queued_calls(session, tenant_id, batch_id, CALLS_AT_ONCE)
    for call in await calls.locked_calls(session, tenant_id, waiting):
        await cancel_queued(session, call, datetime.now(UTC))
    return bool(waiting)
