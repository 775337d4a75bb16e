"""A process that dies in the middle of its work."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.platform.database import Database


class Crash(BaseException):
    """The process dies. Nothing handles it."""


class MortalDatabase(Database):
    """Dies at the end of one of its transactions: before the commit for an odd ``dies_at``, else
    after it."""

    def __init__(self, whole: Database, dies_at: int) -> None:
        self._whole = whole
        self._left = (dies_at + 1) // 2
        self._dies_before_commit = dies_at % 2 == 1

    @asynccontextmanager
    async def tenant_session(self, tenant_id: UUID) -> AsyncIterator[AsyncSession]:
        async with self._mortal(self._whole.tenant_session(tenant_id)) as session:
            yield session

    @asynccontextmanager
    async def system_session(self) -> AsyncIterator[AsyncSession]:
        async with self._mortal(self._whole.system_session()) as session:
            yield session

    @asynccontextmanager
    async def _mortal(self, transaction: Any) -> AsyncIterator[AsyncSession]:
        self._left -= 1
        async with transaction as session:
            yield session
            if self._left == 0 and self._dies_before_commit:
                raise Crash
        if self._left == 0:
            raise Crash
