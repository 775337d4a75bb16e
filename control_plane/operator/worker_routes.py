"""``/v1/operator/workers``: the media workers, and the calls that wait for them."""

from __future__ import annotations

import time
from uuid import UUID

from fastapi import APIRouter, Depends

from contracts.heartbeat import WorkerHeartbeat
from control_plane.identity.authentication.dependencies import operator
from control_plane.operator.worker_schemas import WaitingCalls, WorkerList, WorkerView
from control_plane.platform.http.openapi import AUTHENTICATED, problems
from control_plane.platform.link.heartbeats import read_heartbeats
from control_plane.platform.link.link import AppLink, LinkUnavailable
from link.connection import LINK_ERRORS
from link.dispatch_queue import DispatchQueue

router = APIRouter(
    prefix="/v1/operator/workers",
    tags=["operator"],
    dependencies=[Depends(operator)],
    responses=problems(*AUTHENTICATED),
)


@router.get("", responses=problems(LinkUnavailable))
async def list_workers(link: AppLink) -> WorkerList:
    """List the media workers with their slots, and the calls that wait for a free one."""
    queue = DispatchQueue(link.redis)
    try:
        heartbeats = await read_heartbeats(link.redis)
        waiting = await queue.waiting()
        longest_wait_seconds = await queue.longest_wait_seconds(time.time())
    except LINK_ERRORS as error:
        raise LinkUnavailable from error
    most_first = sorted(waiting.items(), key=lambda each: (-each[1], each[0]))
    return WorkerList(
        workers=[_view(heartbeat) for heartbeat in heartbeats],
        waiting=[WaitingCalls(tenant_id=UUID(tenant), calls=calls) for tenant, calls in most_first],
        longest_wait_seconds=longest_wait_seconds,
    )


def _view(heartbeat: WorkerHeartbeat) -> WorkerView:
    return WorkerView(
        id=heartbeat.worker_id,
        state=heartbeat.state,
        slots_total=heartbeat.slots_total,
        slots_used=heartbeat.slots_used,
        claims_nothing_because=heartbeat.claims_nothing_because,
        claims_nothing_seconds=heartbeat.claims_nothing_seconds,
        heard_at=heartbeat.sent_at,
    )
