from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any
from uuid import UUID, uuid4

import pytest

from control_plane.notifying.notifications import repository
from control_plane.notifying.notifications.streaming.news import News


class FakeDatabase:
    @contextlib.asynccontextmanager
    async def system_statements(self) -> AsyncIterator[None]:
        yield


async def test_readers_hear_of_what_comes_after_an_error_that_nobody_foresaw(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tenant_id, has_failed = uuid4(), False

    async def newest_positions(session: Any, tenant_ids: Any, after: int) -> Mapping[UUID, int]:
        nonlocal has_failed
        if not has_failed:
            has_failed = True
            raise KeyError("a fault of ours")
        return {tenant_id: after + 1}

    monkeypatch.setattr(repository, "newest_positions", newest_positions)
    database: Any = FakeDatabase()
    news = News(database, ask_seconds=0)
    with news.of_tenant(tenant_id) as changed:
        async with asyncio.timeout(1.0):
            await changed.wait()
    await news.aclose()
