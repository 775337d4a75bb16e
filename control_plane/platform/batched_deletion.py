"""Deleting all rows that are due, however many, in transactions that each end in time."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.platform.database import Database

DELETED_TOGETHER = 2_000


class DeleteSome(Protocol):
    async def __call__(self, session: AsyncSession, before: datetime, /, *, most: int) -> int:
        """Delete rows from before ``before`` and return how many, which are ``most`` at most."""


async def delete_in_batches(database: Database, delete: DeleteSome, before: datetime) -> None:
    """Delete rows of any tenant until none is due."""
    deleted = DELETED_TOGETHER
    while deleted == DELETED_TOGETHER:
        async with database.system_session() as session:
            deleted = await delete(session, before, most=DELETED_TOGETHER)
