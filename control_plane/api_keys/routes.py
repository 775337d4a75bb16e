"""``/v1/api-keys``."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, status

from control_plane.api_keys import repository, service
from control_plane.api_keys.errors import ApiKeyNotFound
from control_plane.api_keys.schemas import (
    ApiKeyCreate,
    ApiKeyCreated,
    ApiKeyList,
    ApiKeyRevoked,
    ApiKeyView,
)
from control_plane.authentication.dependencies import AdminCaller, TenantSession
from control_plane.http.openapi import ADMIN_ONLY, problems
from control_plane.http.paging import Offset

router = APIRouter(prefix="/v1/api-keys", tags=["api keys"], responses=problems(*ADMIN_ONLY))


@router.post("", status_code=status.HTTP_201_CREATED)
async def create_api_key(
    wanted: ApiKeyCreate, caller: AdminCaller, session: TenantSession
) -> ApiKeyCreated:
    """Make a key. The answer is the only place where it is ever shown."""
    record, key = await service.create_key(session, caller.tenant_id, wanted)
    return ApiKeyCreated(**ApiKeyView.model_validate(record).model_dump(), key=key)


@router.get("")
async def list_api_keys(
    caller: AdminCaller,
    session: TenantSession,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    offset: Offset = 0,
) -> ApiKeyList:
    """Every key, newest first, revoked ones too."""
    keys, total = await repository.list_keys(session, caller.tenant_id, limit=limit, offset=offset)
    return ApiKeyList(
        api_keys=[ApiKeyView.model_validate(key) for key in keys],
        total=total,
        offset=offset,
        limit=limit,
    )


@router.delete("/{key_id}", responses=problems(ApiKeyNotFound))
async def revoke_api_key(
    key_id: UUID, caller: AdminCaller, session: TenantSession
) -> ApiKeyRevoked:
    """Close a key for good."""
    await service.revoke_key(session, caller.tenant_id, key_id)
    return ApiKeyRevoked(id=key_id)
