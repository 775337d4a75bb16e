"""Creates and cancels batches."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.agents.tenant_json_schemas import check_extraction_schema
from control_plane.calling.batches import repository, tasks
from control_plane.calling.batches.errors import BatchNotFound
from control_plane.calling.batches.models import BatchRow, CallBatch
from control_plane.calling.batches.recipient_calls import cancel_waiting_calls, make_call
from control_plane.calling.batches.recipients import check_recipients
from control_plane.calling.batches.schemas import BatchAccepted, BatchRequest
from control_plane.calling.calls.creating.planning import PlanSources
from control_plane.calling.dialing.errors import NeverDialable
from control_plane.platform.audit.recording import record_change
from control_plane.platform.database import Database
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.job_queue import enqueue
from control_plane.platform.settings import ControlPlaneSettings
from control_plane.platform.tenancy.caller import Caller


async def create_batch(
    session: AsyncSession,
    caller: Caller,
    wanted: BatchRequest,
    settings: ControlPlaneSettings,
    sources: PlanSources,
) -> BatchAccepted:
    """Accept the recipients that can be called.

    The first call is created immediately, so that an error of the agent, its providers or the
    credit refuses the batch. A job creates the other calls.

    Raises:
        InvalidRequest: no recipient can be called.
        Problem: ``create_call`` refuses the first call.
    """
    if not settings.dialing.has_phones:
        raise InvalidRequest.at("recipients", "the phone channel has no carrier connected yet")
    if wanted.post_call is not None:
        await check_extraction_schema(wanted.post_call, caller.tenant_id)
    accepted, refused = await check_recipients(
        session, caller.tenant_id, wanted, settings.dialing, datetime.now(UTC)
    )
    if not accepted:
        raise InvalidRequest(
            errors=[
                {"field": f"recipients[{each.index}]", "message": each.message} for each in refused
            ]
        )
    batch = CallBatch(
        id=uuid4(),
        tenant_id=caller.tenant_id,
        agent_id=wanted.agent_id,
        name=wanted.name,
        # Only what was sent: the rest of ``post_call`` is as the agent has it.
        request=wanted.model_dump(
            mode="json", exclude={"recipients"}, exclude_unset=True, by_alias=True
        ),
    )
    session.add(batch)
    await session.flush()
    why = {each.index: each for each in refused}
    rows = [
        BatchRow(
            batch_id=batch.id,
            position=index,
            tenant_id=caller.tenant_id,
            recipient=accepted.get(index, recipient).model_dump(mode="json", exclude_unset=True),
            refusal_code=why[index].code if index in why else None,
            refusal=why[index].message if index in why else None,
        )
        for index, recipient in enumerate(wanted.recipients)
    ]
    session.add_all(rows)
    await session.flush()
    first = rows[min(accepted)]
    try:
        first.call_id = await make_call(session, batch, first, settings, sources)
    except NeverDialable as error:
        raise InvalidRequest.at(f"recipients[{first.position}].schedule", str(error)) from None
    record_change(
        session,
        caller,
        "batch.created",
        target_id=batch.id,
        changes={"accepted": len(accepted), "rejected": len(refused)},
    )
    await enqueue(
        session,
        tasks.make_calls_of_batch,
        tenant_id=str(caller.tenant_id),
        batch_id=str(batch.id),
    )
    return BatchAccepted(
        id=batch.id,
        total=len(rows),
        accepted=len(accepted),
        rejected=len(refused),
        errors=refused,
    )


async def cancel_batch(database: Database, caller: Caller, batch_id: UUID) -> None:
    """Stop dialing for the batch and then cancel the first calls that wait; a job cancels the rest.

    The dialing is stopped in a transaction of its own. So the whole batch is not locked while the
    first calls end, which may have to wait for the tenant's account.

    Raises:
        BatchNotFound: the tenant has no such batch.
    """
    async with database.tenant_session(caller.tenant_id) as session:
        is_new = await _stop_batch(session, caller, batch_id)
    if is_new:
        async with database.tenant_session(caller.tenant_id) as session:
            await cancel_waiting_calls(session, caller.tenant_id, batch_id)


async def _stop_batch(session: AsyncSession, caller: Caller, batch_id: UUID) -> bool:
    """``False`` if that was done before."""
    batch = await repository.find(session, caller.tenant_id, batch_id, for_update=True)
    if batch is None:
        raise BatchNotFound
    if batch.canceled_at is not None:
        return False
    batch.canceled_at = datetime.now(UTC)
    await repository.refuse_rows_without_call(
        session,
        caller.tenant_id,
        batch_id,
        code=repository.CANCELED,
        why="The batch was canceled before the call was created",
    )
    await repository.stop_dialing(session, caller.tenant_id, batch_id, batch.canceled_at)
    record_change(session, caller, "batch.canceled", target_id=batch_id)
    await enqueue(
        session,
        tasks.cancel_calls_of_batch,
        tenant_id=str(caller.tenant_id),
        batch_id=str(batch_id),
    )
    return True
