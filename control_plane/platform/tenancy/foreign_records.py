"""Telling a record of another tenant (403) from none (404), where the API has to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.platform.database import Database
from control_plane.platform.errors import NotFound, Problem


@asynccontextmanager
async def foreign_is_forbidden(
    database: Database,
    record_id: UUID,
    *,
    not_found: type[NotFound],
    forbidden: type[Problem],
    exists: Callable[[AsyncSession, UUID], Awaitable[bool]],
) -> AsyncIterator[None]:
    """Around work on a record of the caller's tenant: raises ``forbidden`` in place of
    ``not_found`` if another tenant has the record.

    Args:
        exists: whether any tenant has it. Gets a session that sees the records of every tenant.
    """
    try:
        yield
    except not_found:
        async with database.system_session() as session:
            if await exists(session, record_id):
                raise forbidden from None
        raise
