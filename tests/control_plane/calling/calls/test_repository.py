"""The locks of queries that change many calls."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from functools import partial
from uuid import UUID

from sqlalchemy import text

from control_plane.calling.calls.repository import request_ends_of_agent
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import create_call
from tests.control_plane.lock_waits import backend_of, waits_for
from tests.runtime.until import until


async def test_calls_to_end_are_locked_in_the_order_in_which_everybody_locks_several(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent()
    ids = sorted([UUID((await create_call(tenant, agent_id))["id"]) for _ in range(3)])
    make_newest = text("UPDATE calls SET created_at = clock_timestamp() WHERE id = :first")
    async with database.system_session() as session:
        # Now it comes last in the table, and in the index by agent.
        await session.execute(make_newest, {"first": ids[0]})

    async def mark() -> set[UUID]:
        async with database.system_session() as session:
            marked = await request_ends_of_agent(
                session, tenant.tenant_id, agent_id, datetime.now(UTC), "normal_hangup"
            )
            return set(marked)

    async with asyncio.TaskGroup() as tasks, database.system_session() as dialing:
        await dialing.execute(make_newest, {"first": ids[0]})
        marking = tasks.create_task(mark())
        await until(partial(waits_for, database, await backend_of(dialing)))
        free = await dialing.scalars(text("SELECT id FROM calls FOR UPDATE SKIP LOCKED"))
        assert sorted(free) == ids
    assert marking.result() == set(ids)
