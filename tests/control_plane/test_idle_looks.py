"""While nothing happens, each look of a jobs process is one statement, and it misses nothing."""

from __future__ import annotations

import asyncio
from uuid import uuid4

from sqlalchemy import text

from contracts.call_status import CallStatus
from control_plane.calling.calls.count_folding import _fold
from control_plane.calling.calls.models import Call
from control_plane.notifying.webhooks.delivering.runner import IDLE_PAUSE_SECONDS, DeliveryRunner
from control_plane.platform.database import Database
from control_plane.platform.outbox.models import OutboxEvent
from control_plane.platform.outbox.reader import QUICK_LOOKS, OutboxReader
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.linked import settings
from tests.control_plane.sent_statements import statements

__all__ = ["settings"]


async def add_fact(database: Database, tenant: TenantClient) -> None:
    async with database.system_session() as session:
        session.add(OutboxEvent(tenant_id=tenant.tenant_id, event="call.ended", data={}))


async def move_cursor(database: Database, transaction_id: int) -> None:
    async with database.system_session() as session:
        await session.execute(
            text("UPDATE outbox_cursors SET transaction_id = CAST(:id AS xid8)"),
            {"id": str(transaction_id)},
        )


async def test_an_idle_outbox_is_looked_at_with_one_statement(
    database: Database, tenant: TenantClient
) -> None:
    reader = OutboxReader(database, [])
    while await reader.read():
        pass
    with statements(database) as sent:
        for _ in range(3):
            assert await reader.read() == 0
    assert len(sent) == 3
    await add_fact(database, tenant)
    assert await reader.read() == 1


async def test_facts_of_a_database_that_was_restored_meanwhile_are_read(
    database: Database, tenant: TenantClient
) -> None:
    """In the one that was read before, transactions had higher ids."""
    reader = OutboxReader(database, [])
    while await reader.read():
        pass
    await move_cursor(database, 1_000_000_000_000)
    await OutboxReader(database, []).read()
    reader = OutboxReader(database, [])
    assert await reader.read() == 0
    await move_cursor(database, 0)
    await add_fact(database, tenant)
    assert [await reader.read() for _ in range(QUICK_LOOKS)] == [0] * QUICK_LOOKS
    assert await reader.read() > 0


async def test_without_deliveries_a_look_is_one_statement(
    database: Database, settings: ControlPlaneSettings
) -> None:
    runner = DeliveryRunner(database, settings)
    async with asyncio.TaskGroup() as group:
        with statements(database) as sent:
            assert await runner._look(group) == IDLE_PAUSE_SECONDS
    assert len(sent) == 1


async def test_counts_without_deltas_are_not_folded(
    database: Database, tenant: TenantClient
) -> None:
    while await _fold(database):
        pass
    with statements(database) as sent:
        assert await _fold(database) == 0
    assert len(sent) == 1
    async with database.tenant_session(tenant.tenant_id) as session:
        session.add(
            Call(
                id=uuid4(),
                tenant_id=tenant.tenant_id,
                agent_id=uuid4(),
                room_name="room",
                status=CallStatus.IN_PROGRESS.value,
                plan={},
            )
        )
    assert await _fold(database) == 1
