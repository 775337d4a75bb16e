"""Telling a foreign call (403) from none (404), where the specification wants that."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

from control_plane.calling.calls import repository
from control_plane.calling.calls.errors import CallNotFound, CallOfAnotherTenant
from control_plane.platform.database import Database


@asynccontextmanager
async def foreign_is_forbidden(database: Database, call_id: UUID) -> AsyncIterator[None]:
    """Around the work on a call of the caller's tenant.

    Raises:
        CallOfAnotherTenant: in place of ``CallNotFound``, if another tenant has the call.
    """
    try:
        yield
    except CallNotFound:
        async with database.system_session() as session:
            if await repository.call_exists(session, call_id):
                raise CallOfAnotherTenant from None
        raise
