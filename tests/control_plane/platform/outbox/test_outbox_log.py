"""The outbox is a log: no fact is missed, none is handed over twice, and old days go."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import psycopg
import pytest
from sqlalchemy import create_engine, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.migrations.outbox_log import adopt_restored_log
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.outbox import log_repository
from control_plane.platform.outbox.facts import Fact
from control_plane.platform.outbox.models import OutboxEvent
from control_plane.platform.outbox.reader import (
    BUSY_PAUSE_SECONDS,
    FACTS_AT_ONCE,
    IDLE_PAUSE_SECONDS,
    MORE_EACH_TIME,
    MOST_TRIES,
    OutboxReader,
    pause_seconds,
)
from tests.control_plane.migrations import empty_database, upgrade


class Listener:
    """Notes the facts that it is handed in the transaction that hands them over."""

    def __init__(self, refused: str | None = None, *, most_in_time: int = FACTS_AT_ONCE) -> None:
        self.refused = refused
        self.most_in_time = most_in_time

    async def consume(self, session: AsyncSession, facts: Sequence[Fact]) -> None:
        if len(facts) > self.most_in_time:
            raise DatabaseUnavailable
        for fact in facts:
            if fact.event == self.refused:
                raise ValueError(fact.event)
            await session.execute(
                text("INSERT INTO heard (event) VALUES (:event)"), {"event": fact.event}
            )


@pytest.fixture
async def tenant_id(database: Database) -> UUID:
    tenant_id = uuid4()
    async with database.system_session() as session:
        await session.execute(
            text("INSERT INTO tenants (id, name) VALUES (:id, 'Tenant')"), {"id": tenant_id}
        )
    return tenant_id


@pytest.fixture(autouse=True)
async def heard_table(postgres_url: str) -> None:
    login = postgres_url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(login, autocommit=True) as owner:
        owner.execute("CREATE TABLE heard (event text)")
        owner.execute("GRANT ALL ON heard TO switchboard_system")


def fact(tenant_id: UUID, event: str) -> OutboxEvent:
    return OutboxEvent(tenant_id=tenant_id, event=event, data={})


async def add(database: Database, tenant_id: UUID, *events: str) -> None:
    async with database.system_session() as session:
        for event in events:
            session.add(fact(tenant_id, event))
            await session.flush()


async def heard(database: Database) -> list[str]:
    async with database.system_session() as session:
        return list(await session.scalars(text("SELECT event FROM heard")))


async def test_facts_come_in_order_and_once(database: Database, tenant_id: UUID) -> None:
    reader = OutboxReader(database, [Listener()])
    await add(database, tenant_id, "one", "two")
    await add(database, tenant_id, "three")
    assert await reader.read() == 3
    await add(database, tenant_id, "four")
    assert await reader.read() == 1
    assert await reader.read() == 0
    assert await heard(database) == ["one", "two", "three", "four"]


async def test_a_fact_that_is_committed_late_is_not_missed(
    database: Database, tenant_id: UUID
) -> None:
    """Its position is lower than that of a fact that was committed long before."""
    reader = OutboxReader(database, [Listener()])
    async with database.system_session() as late:
        late.add(fact(tenant_id, "late"))
        await late.flush()
        await add(database, tenant_id, "early")
        assert await reader.read() == 0, "it would leave the late one behind"
    assert await reader.read() == 2
    assert await heard(database) == ["late", "early"]


async def test_a_transaction_that_began_early_adds_its_fact_last(
    database: Database, tenant_id: UUID
) -> None:
    """Its position is higher, but its transaction's id is lower."""
    reader = OutboxReader(database, [Listener()])
    async with database.system_session() as early:
        await early.execute(text("SELECT pg_current_xact_id()"))
        await add(database, tenant_id, "other")
        await reader.read()
        early.add(fact(tenant_id, "own"))
    await reader.read()
    assert sorted(await heard(database)) == ["other", "own"]


async def test_many_processes_share_the_log(database: Database, tenant_id: UUID) -> None:
    names = [f"fact {number}" for number in range(FACTS_AT_ONCE + 50)]
    await add(database, tenant_id, *names)
    readers = [OutboxReader(database, [Listener()]) for _ in range(4)]
    for _ in range(4):
        await asyncio.gather(*(reader.read() for reader in readers))
    assert await heard(database) == names


async def test_a_refused_batch_is_read_one_by_one_and_the_culprit_is_skipped(
    database: Database, tenant_id: UUID
) -> None:
    reader = OutboxReader(database, [Listener(), Listener(refused="poison")])
    await add(database, tenant_id, "good", "poison", "better")
    refusals = 0
    while await something_is_unread(database):
        try:
            await reader.read()
        except ValueError:
            refusals += 1
    assert await heard(database) == ["good", "good", "better", "better"]
    assert refusals == 1 + MOST_TRIES


async def test_a_fact_whose_id_is_no_text_is_skipped_like_any_other_that_is_refused(
    database: Database, tenant_id: UUID
) -> None:
    """It would end every process that reads, again and again."""

    class ReadsIds(Listener):
        async def consume(self, session: AsyncSession, facts: Sequence[Fact]) -> None:
            for fact in facts:
                UUID(fact.data.get("call_id", str(tenant_id)))
            await super().consume(session, facts)

    reader = OutboxReader(database, [ReadsIds()])
    async with database.system_session() as session:
        session.add(OutboxEvent(tenant_id=tenant_id, event="poison", data={"call_id": 5}))
    await add(database, tenant_id, "good")
    for _ in range(1 + MOST_TRIES + 2):
        with suppress(AttributeError):
            await reader.read()
    assert await heard(database) == ["good"]


async def test_a_fact_that_one_process_skips_costs_another_process_no_other_fact(
    database: Database, tenant_id: UUID
) -> None:
    readers = [OutboxReader(database, [Listener(refused="poison")]) for _ in range(2)]
    await add(database, tenant_id, "poison", "good", "poison", "better")
    for _ in range(2 * (1 + MOST_TRIES) + 4):
        for reader in readers:
            with suppress(ValueError):
                await reader.read()
    assert not await something_is_unread(database)
    assert await heard(database) == ["good", "better"]


async def test_facts_that_take_longer_than_a_transaction_has_are_read_in_smaller_batches(
    database: Database, tenant_id: UUID
) -> None:
    listener = Listener(most_in_time=60)
    reader = OutboxReader(database, [listener])
    names = [f"fact {number}" for number in range(100)]
    await add(database, tenant_id, *names)
    for _ in range(2):
        with pytest.raises(DatabaseUnavailable):
            await reader.read()
    assert [await reader.read(), await reader.read()] == [50, 50]
    assert await heard(database) == names
    listener.most_in_time = FACTS_AT_ONCE
    for _ in range(FACTS_AT_ONCE // MORE_EACH_TIME):
        assert await reader.read() == 0
        await add(database, tenant_id, "one more")
        assert await reader.read() == 1
    await add(database, tenant_id, *(["many more"] * FACTS_AT_ONCE))
    assert await reader.read() == FACTS_AT_ONCE


async def something_is_unread(database: Database) -> bool:
    async with database.system_session() as session:
        return await log_repository.oldest_unread(session) is not None


async def test_facts_of_one_transaction_have_times_of_their_own(
    database: Database, tenant_id: UUID
) -> None:
    async with database.system_session() as session:
        session.add_all([fact(tenant_id, "same") for _ in range(50)])
    async with database.system_session() as session:
        times = (await session.scalars(select(OutboxEvent.occurred_at))).all()
    assert len(set(times)) == 50


async def test_an_old_day_goes_when_it_was_read(database: Database, tenant_id: UUID) -> None:
    await add(database, tenant_id, "one")
    today, tomorrow = datetime.now(UTC), datetime.now(UTC) + timedelta(days=1)
    name = f"outbox_events_{today:%Y_%m_%d}"
    async with database.system_session() as session:
        assert await log_repository.drop_days(session, today) == []
        assert (await log_repository.oldest_unread(session) or tomorrow) <= today
    await OutboxReader(database, []).read()
    async with database.system_session() as session:
        assert await log_repository.oldest_unread(session) is None
        assert await log_repository.drop_days(session, tomorrow) == [name]
        assert await log_repository.make_days(session, 0) == [name]
        assert (await session.scalars(select(OutboxEvent))).all() == []


async def test_reading_looks_only_at_facts_that_are_new(
    database: Database, tenant_id: UUID
) -> None:
    async with database.system_session() as session:
        await session.execute(text("SET LOCAL enable_seqscan = off"))
        statement = f"EXPLAIN {log_repository.UNREAD.text}"
        values = {
            "transaction_id": "10",
            "position": 10,
            "read_until": datetime.now(UTC),
            "limit": 5,
        }
        plan = "\n".join(await session.scalars(text(statement), values))
    assert "transaction_id_position_idx" in plan
    assert "Sort  (" not in plan
    assert f"outbox_events_{datetime.now(UTC) - timedelta(days=2):%Y_%m_%d}" not in plan


def test_facts_of_the_previous_release_are_read_after_the_upgrade(postgres_url: str) -> None:
    """Those from before the upgrade are not: nobody could ask for them."""
    with empty_database(postgres_url) as connection:
        upgrade(connection, "0037")
        tenant_id = uuid4()
        connection.execute(text("SET ROLE switchboard_system"))
        connection.execute(
            text("INSERT INTO tenants (id, name) VALUES (:id, 'Tenant')"), {"id": tenant_id}
        )
        statement = text(
            "INSERT INTO outbox_events (id, tenant_id, event, data, origin)"
            " VALUES (gen_random_uuid(), :tenant, :event, '{}', 'api') RETURNING occurred_at"
        )
        connection.execute(statement, {"tenant": tenant_id, "event": "before"})
        connection.execute(text("RESET ROLE"))
        upgrade(connection, "head")
        connection.execute(text("SET ROLE switchboard_system"))
        connection.execute(statement, {"tenant": tenant_id, "event": "after"})
        found = connection.execute(
            text("SELECT event, position, transaction_id IS NOT NULL FROM outbox_events")
        ).all()
        assert [tuple(row) for row in found] == [("after", 1, True)]
        connection.rollback()


async def test_a_log_from_another_cluster_goes_on_where_it_was(
    database: Database, tenant_id: UUID, postgres_url: str
) -> None:
    """Its transactions had ids that this cluster reaches in years."""
    await add(database, tenant_id, "read before")
    await OutboxReader(database, []).read()
    await add(database, tenant_id, "unread")
    async with database.system_session() as session:
        for table in ("outbox_events", "outbox_cursors"):
            await session.execute(
                text(
                    f"UPDATE {table} SET transaction_id = CAST(CAST("
                    "CAST(transaction_id::text AS bigint) + 1000000000000 AS text) AS xid8)"
                )
            )
    await add(database, tenant_id, "new")
    assert await OutboxReader(database, [Listener()]).read() == 0
    engine = create_engine(postgres_url)
    for _ in range(2):
        with engine.begin() as connection:
            adopt_restored_log(connection)
    engine.dispose()
    await OutboxReader(database, [Listener()]).read()
    assert await heard(database) == ["unread", "new"]


def test_a_reader_looks_again_at_once_behind_a_full_batch_and_seldom_when_idle() -> None:
    assert pause_seconds(FACTS_AT_ONCE, 0.2) == 0.0
    assert pause_seconds(1, 0.2) == BUSY_PAUSE_SECONDS
    assert BUSY_PAUSE_SECONDS < pause_seconds(0, BUSY_PAUSE_SECONDS) < IDLE_PAUSE_SECONDS
    assert pause_seconds(0, IDLE_PAUSE_SECONDS) == IDLE_PAUSE_SECONDS
