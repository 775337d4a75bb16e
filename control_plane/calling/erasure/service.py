"""Requests to erase a caller's data."""

from __future__ import annotations

import hashlib
import hmac
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.erasure import repository
from control_plane.calling.erasure.errors import CallerInCall
from control_plane.calling.erasure.models import Erasure
from control_plane.calling.erasure.schemas import ErasureWanted
from control_plane.calling.erasure.tasks import SECOND_LOOK_AFTER, erase_caller, look_again
from control_plane.platform.audit.recording import record_change
from control_plane.platform.job_queue import enqueue
from control_plane.platform.settings import ControlPlaneSettings
from control_plane.platform.tenancy.caller import Caller

MOST_CALLS_NAMED = 100


async def request_erasure(
    session: AsyncSession, caller: Caller, wanted: ErasureWanted, settings: ControlPlaneSettings
) -> Erasure:
    """Note the request and add its job.

    Raises:
        CallerInCall: a call of the caller is not over.
    """
    under_way = await repository.calls_under_way(
        session, caller.tenant_id, wanted.caller, MOST_CALLS_NAMED
    )
    if under_way:
        raise CallerInCall(
            "End these calls first: POST /v1/calls/{id}/end.",
            call_ids=[str(call_id) for call_id in under_way],
        )
    erasure = Erasure(
        id=uuid4(),
        tenant_id=caller.tenant_id,
        sealed_caller=settings.sealer.seal(wanted.caller),
        caller_hmac=hmac_of(settings.secret_key, caller.tenant_id, wanted.caller),
        reason=wanted.reason,
        requested_by={
            "kind": caller.actor.kind,
            "id": None if caller.actor.id is None else str(caller.actor.id),
            "label": caller.actor.label,
        },
    )
    session.add(erasure)
    await session.flush()
    record_change(session, caller, "erasure.requested", target_id=erasure.id)
    tenant_id, erasure_id = str(caller.tenant_id), str(erasure.id)
    await enqueue(session, erase_caller, tenant_id=tenant_id, erasure_id=erasure_id)
    await enqueue(
        session,
        look_again,
        not_within=SECOND_LOOK_AFTER,
        tenant_id=tenant_id,
        erasure_id=erasure_id,
    )
    return erasure


def hmac_of(secret_key: str, tenant_id: UUID, caller: str) -> str:
    """Names a caller to those who know the number or identity, and to nobody else."""
    message = f"erasure of {caller} at {tenant_id}"
    return hmac.new(secret_key.encode(), message.encode(), hashlib.sha256).hexdigest()
