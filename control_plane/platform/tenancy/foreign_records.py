"""Answering 403 for another tenant's record, and 404 only if no tenant has it."""

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
    """A context for work on one of the caller's records. Raises ``forbidden`` instead of
    ``not_found`` if the record is another tenant's.

    Args:
        exists: tells whether any tenant has the record. Its session sees every tenant's records.
    """
    try:
        yield
    except not_found:
        async with database.system_session() as session:
            if await exists(session, record_id):
                raise forbidden from None
        raise
