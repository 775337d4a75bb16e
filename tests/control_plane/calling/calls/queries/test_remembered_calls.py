"""PostgreSQL is asked whether a tenant has calls until the tenant has one."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.calls.queries import call_records
from control_plane.calling.calls.queries.remembered_calls import RememberedCalls


async def test_only_tenants_with_calls_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    tenant_id, other_id = uuid4(), uuid4()
    with_calls: set[UUID] = set()
    asked: list[UUID] = []

    async def has_calls(_session: AsyncSession, tenant_id: UUID) -> bool:
        asked.append(tenant_id)
        return tenant_id in with_calls

    monkeypatch.setattr(call_records, "has_calls", has_calls)
    calls = RememberedCalls()
    async with AsyncSession() as session:
        assert not await calls.has_calls(session, tenant_id)
        with_calls.add(tenant_id)
        assert await calls.has_calls(session, tenant_id)
        assert await calls.has_calls(session, tenant_id)
        assert not await calls.has_calls(session, other_id)
    assert asked == [tenant_id, tenant_id, other_id]
