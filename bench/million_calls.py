"""An API whose tenant has a great many calls, for benches and query plans."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

import httpx2
import psycopg

from control_plane.calling.calls.queries.call_counts import fold_deltas
from control_plane.platform.database import SYSTEM_ROLE, Database
from tests.control_plane.many_calls import add_calls
from tests.own_api import OwnApi, own_api

AGENTS = 8
PLAN_BYTES = 2000


@dataclass(frozen=True)
class Filled:
    """``places`` are ids of calls: the newest one's, one from the middle, one near the end."""

    api: OwnApi
    tenant_id: UUID
    key: str
    calls: int
    agent_ids: list[UUID]
    """The first has half of the calls, each next half of the rest."""
    places: tuple[UUID, UUID, UUID]


@contextmanager
def api_with_calls(calls: int) -> Iterator[Filled]:
    with own_api() as api:
        tenant_id, key = api.open_account()
        with httpx2.Client(base_url=api.url, headers={"Authorization": f"Bearer {key}"}) as http:
            agent_ids = [
                UUID(http.post("/v1/agents", json={"name": "Reception"}).json()["id"])
                for _ in range(AGENTS)
            ]
        with psycopg.connect(api.psycopg_url, autocommit=True) as connection:
            add_calls(connection, tenant_id, agent_ids, calls, plan_bytes=PLAN_BYTES)
            asyncio.run(_fold(api.database_url))
            connection.execute(
                "VACUUM (ANALYZE) calls, call_participants, call_counts, call_count_deltas"
            )
            first, middle, late = (
                _nth_call(connection, tenant_id, position)
                for position in (0, calls // 2, calls * 99 // 100)
            )
        yield Filled(api, tenant_id, key, calls, agent_ids, (first, middle, late))


async def _fold(database_url: str) -> None:
    """What the jobs process does all the time."""
    database = Database(database_url, deadline_seconds=60)
    async with database.system_session() as session:
        await fold_deltas(session)
    await database.aclose()


def _nth_call(connection: psycopg.Connection, tenant_id: UUID, position: int) -> UUID:
    connection.execute(f"SET ROLE {SYSTEM_ROLE}")
    found = connection.execute(
        "SELECT id FROM calls WHERE tenant_id = %s ORDER BY created_at DESC, id DESC"
        " OFFSET %s LIMIT 1",
        (tenant_id, position),
    ).fetchone()
    connection.execute("RESET ROLE")
    assert found is not None
    call_id: UUID = found[0]
    return call_id
