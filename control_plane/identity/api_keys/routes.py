"""``/v1/api-keys``."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, status
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.api_keys import repository, service
from control_plane.identity.api_keys.errors import ApiKeyNotFound, ApiKeyRevokedAlready
from control_plane.identity.api_keys.models import ApiKey
from control_plane.identity.api_keys.schemas import (
    ApiKeyCreate,
    ApiKeyCreated,
    ApiKeyList,
    ApiKeyRevoked,
    ApiKeyRotate,
    ApiKeyRotated,
    ApiKeyUpdate,
    ApiKeyView,
)
from control_plane.identity.authentication.dependencies import AdminCaller, TenantSession
from control_plane.identity.authentication.refusals import ADMIN_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerKey
from control_plane.platform.http.openapi import problems
from control_plane.platform.http.paging import Offset
from control_plane.platform.tenancy.directories import Agents

router = APIRouter(
    prefix="/v1/api-keys",
    tags=["api keys"],
    responses=problems(*ADMIN_ONLY),
    route_class=IdempotentRoute,
)


@router.post("", status_code=status.HTTP_201_CREATED)
async def create_api_key(
    wanted: ApiKeyCreate,
    caller: AdminCaller,
    session: TenantSession,
    agents: Agents,
    _: OncePerKey,
) -> ApiKeyCreated:
    """Create a key. It is shown only in this response."""
    record, key = await service.create_key(session, caller, wanted, agents)
    return ApiKeyCreated(**ApiKeyView.model_validate(record).model_dump(), key=key)


@router.get("")
async def list_api_keys(
    caller: AdminCaller,
    session: TenantSession,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    offset: Offset = 0,
) -> ApiKeyList:
    """List the keys, newest first. Revoked keys are included."""
    keys, total = await repository.list_keys(session, caller.tenant_id, limit=limit, offset=offset)
    views = await _views(session, caller.tenant_id, *keys)
    return ApiKeyList(api_keys=views, total=total, offset=offset, limit=limit)


@router.get("/{key_id}", responses=problems(ApiKeyNotFound))
async def get_api_key(key_id: UUID, caller: AdminCaller, session: TenantSession) -> ApiKeyView:
    """Get a key, without its secret."""
    key = await repository.find(session, caller.tenant_id, key_id)
    if key is None:
        raise ApiKeyNotFound
    [view] = await _views(session, caller.tenant_id, key)
    return view


@router.patch("/{key_id}", responses=problems(ApiKeyNotFound, ApiKeyRevokedAlready))
async def update_api_key(
    key_id: UUID,
    wanted: ApiKeyUpdate,
    caller: AdminCaller,
    session: TenantSession,
    agents: Agents,
) -> ApiKeyView:
    """Rename a key, or change what a publishable key may do. The change applies from the next
    request on."""
    key = await service.update_key(session, caller, key_id, wanted, agents)
    [view] = await _views(session, caller.tenant_id, key)
    return view


@router.post("/{key_id}/rotate", responses=problems(ApiKeyNotFound, ApiKeyRevokedAlready))
async def rotate_api_key(
    key_id: UUID,
    caller: AdminCaller,
    session: TenantSession,
    _: OncePerKey,
    wanted: ApiKeyRotate | None = None,
) -> ApiKeyRotated:
    """Give the key a new secret, which is shown only in this response. The id, name and scope stay.

    Older secrets work for another `overlap_seconds`; without it they stop at once. Rotating again
    during an overlap never extends it: each secret ends at the earliest time that any rotation has
    set.
    """
    overlap_seconds = 0 if wanted is None else wanted.overlap_seconds
    record, key = await service.rotate_key(session, caller, key_id, overlap_seconds=overlap_seconds)
    [view] = await _views(session, caller.tenant_id, record)
    return ApiKeyRotated(**view.model_dump(), key=key)


@router.delete("/{key_id}", responses=problems(ApiKeyNotFound))
async def revoke_api_key(
    key_id: UUID, caller: AdminCaller, session: TenantSession
) -> ApiKeyRevoked:
    """Revoke a key for good, with all its secrets. Older secrets still in their overlap stop
    working, too."""
    await service.revoke_key(session, caller, key_id)
    return ApiKeyRevoked(id=key_id)


async def _views(session: AsyncSession, tenant_id: UUID, *keys: ApiKey) -> list[ApiKeyView]:
    ends = await repository.overlap_ends(
        session, tenant_id, [key.id for key in keys], now=datetime.now(UTC)
    )
    views = [ApiKeyView.model_validate(key) for key in keys]
    return [view.model_copy(update={"overlap_ends_at": ends.get(view.id)}) for view in views]
