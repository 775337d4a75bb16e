"""``/v1/erasures``."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response, status

from control_plane.calling.do_not_call.schemas import AddedBy
from control_plane.calling.erasure import repository, service
from control_plane.calling.erasure.errors import CallerInCall, ErasureNotFound, ProofNotAvailable
from control_plane.calling.erasure.models import Erasure
from control_plane.calling.erasure.schemas import (
    ErasurePage,
    ErasureProof,
    ErasureView,
    ErasureWanted,
)
from control_plane.identity.authentication.dependencies import AdminCaller, TenantSession
from control_plane.identity.authentication.refusals import ADMIN_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerKey
from control_plane.platform.http.dependencies import AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.http.paging import Offset

router = APIRouter(prefix="/v1/erasures", tags=["data protection"], route_class=IdempotentRoute)


@router.post(
    "",
    status_code=status.HTTP_202_ACCEPTED,
    responses=problems(*ADMIN_ONLY, CallerInCall),
)
async def erase_caller(
    wanted: ErasureWanted,
    caller: AdminCaller,
    session: TenantSession,
    settings: AppSettings,
    _: OncePerKey,
) -> ErasureView:
    """Erase the personal data of a caller, named by number or identity, from all calls.

    Transcripts, analyses, recordings, event logs and events of the caller's calls are deleted; the
    calls and their charges stay, without the caller. While a call of the caller is running or waits
    to be dialed, the answer is 409. It takes seconds, or minutes while a recording or an analysis
    is under way. Then `GET /v1/erasures/{id}/proof` has the proof.
    """
    erasure = await service.request_erasure(session, caller, wanted, settings)
    return _view(erasure, 0)


@router.get("", responses=problems(*ADMIN_ONLY))
async def list_erasures(
    caller: AdminCaller,
    session: TenantSession,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Offset = 0,
) -> ErasurePage:
    """List the erasures, newest first."""
    erasures, total = await repository.page_of_erasures(
        session, caller.tenant_id, limit=limit, offset=offset
    )
    ids = [erasure.id for erasure in erasures]
    calls = await repository.count_calls(session, caller.tenant_id, ids)
    views = [_view(erasure, calls.get(erasure.id, 0)) for erasure in erasures]
    return ErasurePage(erasures=views, total=total, offset=offset, limit=limit)


@router.get("/{erasure_id}", responses=problems(*ADMIN_ONLY, ErasureNotFound))
async def get_erasure(erasure_id: UUID, caller: AdminCaller, session: TenantSession) -> ErasureView:
    """An erasure and how far it has come."""
    erasure = await repository.find(session, caller.tenant_id, erasure_id)
    if erasure is None:
        raise ErasureNotFound
    calls = await repository.count_calls(session, caller.tenant_id, [erasure_id])
    return _view(erasure, calls.get(erasure_id, 0))


@router.get(
    "/{erasure_id}/proof",
    response_model=ErasureProof,
    responses=problems(*ADMIN_ONLY, ErasureNotFound, ProofNotAvailable),
)
async def get_proof(erasure_id: UUID, caller: AdminCaller, session: TenantSession) -> Response:
    """The proof of a completed erasure: what was erased where, when and by whom, and what was kept.

    The audit log has the SHA-256 of exactly these bytes.
    """
    erasure = await repository.find(session, caller.tenant_id, erasure_id)
    if erasure is None:
        raise ErasureNotFound
    if erasure.proof is None:
        raise ProofNotAvailable(erasure.waits_for)
    return Response(erasure.proof, media_type="application/json")


def _view(erasure: Erasure, calls: int) -> ErasureView:
    return ErasureView(
        id=erasure.id,
        status=erasure.status,
        caller_hmac=erasure.caller_hmac,
        reason=erasure.reason,
        requested_by=AddedBy(**erasure.requested_by),
        requested_at=erasure.requested_at,
        completed_at=erasure.completed_at,
        waits_for=erasure.waits_for,
        calls=calls,
        proof_sha256=erasure.proof_sha256,
    )
