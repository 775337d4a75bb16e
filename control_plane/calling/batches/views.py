"""Batches as the API shows them."""

from __future__ import annotations

from collections.abc import Mapping

from contracts.call_status import CallStatus
from control_plane.calling.batches.models import CallBatch
from control_plane.calling.batches.repository import CANCELED, REJECTED, WAITING, RowAndCall
from control_plane.calling.batches.schemas import BatchProgress, BatchRowView, BatchView

_SHOWN_AS = {
    CallStatus.CONNECTING.value: CallStatus.RINGING.value,
    CallStatus.QUEUED.value: WAITING,
}


def batch_view(batch: CallBatch, counted: Mapping[str, int]) -> BatchView:
    """
    Args:
        counted: by status; see ``repository.count_rows``.
    """
    rejected = counted.get(REJECTED, 0)
    places: dict[str, int] = {}
    for status, count in counted.items():
        if status != REJECTED:
            place = _SHOWN_AS.get(status, status)
            places[place] = places.get(place, 0) + count
    progress = BatchProgress(**places)
    over = "completed" if batch.canceled_at is None else "canceled"
    return BatchView(
        id=batch.id,
        name=batch.name,
        agent_id=batch.agent_id,
        status="running" if progress.unfinished else over,
        total=sum(counted.values()),
        accepted=sum(counted.values()) - rejected,
        rejected=rejected,
        progress=progress,
        created_at=batch.created_at,
        canceled_at=batch.canceled_at,
    )


def row_view(found: RowAndCall) -> BatchRowView:
    row = found.row
    status = found.call_status or WAITING
    if row.refusal_code is not None:
        status = CANCELED if row.refusal_code == CANCELED else REJECTED
    return BatchRowView(
        index=row.position,
        to=row.recipient["to"],
        call_id=row.call_id,
        status=status,
        end_reason=found.end_reason,
        code=row.refusal_code,
        message=row.refusal,
    )
