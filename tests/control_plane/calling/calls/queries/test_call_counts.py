"""A list's total is exact at every moment, and writers do not wait for each other."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Sequence
from uuid import UUID, uuid4

import psycopg
import pytest
from sqlalchemy import delete, func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import CallStatus
from control_plane.calling.calls.models import Call, CallCountDelta
from control_plane.calling.calls.queries.call_counts import count_calls, fold_deltas
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.many_calls import add_calls
from tests.control_plane.migrations import empty_database, upgrade

STATUSES = (CallStatus.IN_PROGRESS, CallStatus.QUEUED, CallStatus.RINGING)


async def counted_one_by_one(
    session: AsyncSession, tenant_id: UUID, status: CallStatus | None, agent_id: UUID | None
) -> int:
    query = select(func.count()).select_from(Call).where(Call.tenant_id == tenant_id)
    if status is not None:
        query = query.where(Call.status == status)
    if agent_id is not None:
        query = query.where(Call.agent_id == agent_id)
    return await session.scalar(query) or 0


async def assert_exact(database: Database, tenant_id: UUID, agent_ids: Sequence[UUID]) -> None:
    """Compared within one snapshot."""
    async with database._transaction(database._app, database._app_begin) as session:
        await session.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
        confined = func.set_config("switchboard.tenant_id", str(tenant_id), True)
        await session.execute(select(confined))
        for status, agent_id in itertools.product((None, *STATUSES), (None, *agent_ids)):
            kept = await count_calls(session, tenant_id, status, agent_id)
            assert kept == await counted_one_by_one(session, tenant_id, status, agent_id)


def call(tenant_id: UUID, agent_id: UUID) -> Call:
    return Call(
        id=uuid4(),
        tenant_id=tenant_id,
        agent_id=agent_id,
        room_name="room",
        status=CallStatus.IN_PROGRESS.value,
        plan={},
    )


async def test_totals_are_exact_while_calls_come_change_and_go(
    tenant: TenantClient, database: Database
) -> None:
    agent_ids = [uuid4(), uuid4()]
    writing = True

    async def write(seed: int) -> None:
        dice = random.Random(seed)
        mine: list[UUID] = []
        for _ in range(40):
            async with database.tenant_session(tenant.tenant_id) as session:
                attempt = await session.begin_nested()
                added = [
                    call(tenant.tenant_id, dice.choice(agent_ids))
                    for _ in range(dice.randint(1, 3))
                ]
                session.add_all(added)
                changed = select(Call).where(Call.id.in_(dice.sample(mine, min(2, len(mine)))))
                for each in await session.scalars(changed):
                    each.status = dice.choice(STATUSES).value
                    each.applied_seq += 1
                if dice.random() < 0.25:
                    await attempt.rollback()
                else:
                    mine += [each.id for each in added]
                if len(mine) > 5:
                    await session.execute(delete(Call).where(Call.id == mine.pop(0)))

    async def fold() -> None:
        while writing:
            async with database.system_session() as session:
                await fold_deltas(session, limit=7)
            await asyncio.sleep(0)

    async def compare() -> None:
        while writing:
            await assert_exact(database, tenant.tenant_id, agent_ids)

    async with asyncio.TaskGroup() as group:
        for task in (fold(), fold(), compare()):
            group.create_task(task)
        async with asyncio.TaskGroup() as writers:
            for seed in range(4):
                writers.create_task(write(seed))
        writing = False
    await assert_exact(database, tenant.tenant_id, agent_ids)
    async with database.tenant_session(tenant.tenant_id) as session:
        assert await count_calls(session, tenant.tenant_id, None, None) > 10


async def test_folding_keeps_every_total_and_leaves_no_delta(
    tenant: TenantClient, other_tenant: TenantClient, database: Database
) -> None:
    agent_id = uuid4()
    for owner in (tenant, other_tenant):
        async with database.tenant_session(owner.tenant_id) as session:
            session.add_all([call(owner.tenant_id, agent_id) for _ in range(3)])
    async with database.system_session() as session:
        folded = await fold_deltas(session)
        assert await session.scalar(select(func.count()).select_from(CallCountDelta)) == 0
    assert folded == 2  # one a statement
    for owner in (tenant, other_tenant):
        await assert_exact(database, owner.tenant_id, [agent_id])


async def test_two_calls_are_counted_without_waiting_for_each_other(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = uuid4()
    async with (
        database.tenant_session(tenant.tenant_id) as first,
        database.tenant_session(tenant.tenant_id) as second,
    ):
        for session in (first, second):
            session.add(call(tenant.tenant_id, agent_id))
            await session.flush()
            assert await count_calls(session, tenant.tenant_id, None, agent_id) == 1
    await assert_exact(database, tenant.tenant_id, [agent_id])


async def test_an_update_that_leaves_the_status_alone_writes_no_delta(
    tenant: TenantClient, database: Database
) -> None:
    async with database.tenant_session(tenant.tenant_id) as session:
        counted = call(tenant.tenant_id, uuid4())
        session.add(counted)
        await session.flush()
        before = await session.scalar(select(func.count()).select_from(CallCountDelta))
        counted.applied_seq, counted.status = 7, CallStatus.IN_PROGRESS.value
        await session.flush()
        assert await session.scalar(select(func.count()).select_from(CallCountDelta)) == before


@pytest.mark.parametrize("interrupted", [False, True])
def test_calls_from_before_the_counts_are_counted_once(
    postgres_url: str, interrupted: bool
) -> None:
    with empty_database(postgres_url) as connection:
        upgrade(connection, "0014")
        tenant_id = uuid4()
        url = connection.engine.url.set(drivername="postgresql")
        with psycopg.connect(url.render_as_string(hide_password=False), autocommit=True) as login:
            login.execute("SET ROLE switchboard_system")
            login.execute("INSERT INTO tenants (id, name) VALUES (%s, 'Tenant')", (tenant_id,))
            add_calls(login, tenant_id, [uuid4(), uuid4()], 200)
            upgrade(connection, "0015")
            if interrupted:
                connection.execute(text("UPDATE alembic_version SET version_num = '0014'"))
                add_calls(login, tenant_id, [uuid4()], 100)
                upgrade(connection, "0015")
            login.execute("SET ROLE switchboard_system")
            row = login.execute(
                "SELECT (SELECT sum(calls) FROM call_counts) + coalesce("
                "(SELECT sum(calls) FROM call_count_deltas), 0), (SELECT count(*) FROM calls)"
            ).fetchone()
    assert row is not None
    assert row[0] == row[1] == (300 if interrupted else 200)
