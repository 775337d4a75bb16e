"""The call to one recipient of a batch."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.versions import read_object
from control_plane.calling.batches.models import BatchRow, CallBatch
from control_plane.calling.batches.schemas import BatchRequest, Recipient
from control_plane.calling.calls.creating.new_call import create_call
from control_plane.calling.calls.creating.planning import PlanSources
from control_plane.calling.calls.schemas import CallCreate, ParticipantInput
from control_plane.platform.settings import ControlPlaneSettings


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
