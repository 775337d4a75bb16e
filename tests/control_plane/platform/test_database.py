"""Transactions end one way or the other, and in time, whatever PostgreSQL does."""

from __future__ import annotations

import asyncio
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from uuid import UUID, uuid4

import httpx2
import psutil
import pytest
from psycopg import AsyncConnection
from sqlalchemy import func, select, text

from control_plane.app import create_app
from control_plane.migrate import migrate
from control_plane.platform.database import Database, after_commit
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.settings import ControlPlaneSettings
from control_plane.platform.tenancy.models import Tenant
from switchboard.services.embedded_server import running
from switchboard.services.ports import free_port
from switchboard.services.postgres import PostgresServer
from tests.control_plane.conftest import TenantClient

DEADLINE_SECONDS = 1.0
TOLERANCE_SECONDS = 1.0


async def count_tenants(database: Database) -> int:
    async with database.system_session() as session:
        return await session.scalar(select(func.count()).select_from(Tenant)) or 0


async def test_a_session_commits_at_its_end(database: Database) -> None:
    async with database.system_session() as session:
        session.add(Tenant(name="kept"))
    assert await count_tenants(database) == 1


async def test_a_session_rolls_back_on_an_error(database: Database) -> None:
    async def fail_half_way() -> None:
        async with database.system_session() as session:
            session.add(Tenant(name="dropped"))
            await session.flush()
            raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        await fail_half_way()
    assert await count_tenants(database) == 0


async def test_a_time_out_of_the_callers_own_stays_one(database: Database) -> None:
    with pytest.raises(TimeoutError):
        async with database.tenant_session(uuid4()), asyncio.timeout(0.01):
            await asyncio.Event().wait()


async def test_a_query_past_the_deadline_is_abandoned(postgres_url: str) -> None:
    database = Database(postgres_url, deadline_seconds=0.2)
    with pytest.raises(DatabaseUnavailable):
        async with database.system_session() as session:
            await session.execute(text("SELECT pg_sleep(30)"))
    assert await count_tenants(database) == 0
    await database.aclose()


async def test_more_sessions_than_connections_wait_their_turn(postgres_url: str) -> None:
    database = Database(postgres_url, pool_size=1)
    assert await asyncio.gather(*(count_tenants(database) for _ in range(20))) == [0] * 20
    await database.aclose()


async def test_connections_that_were_needed_once_are_kept(postgres_url: str) -> None:
    database = Database(postgres_url, pool_size=3)

    async def server_processes() -> set[int]:
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(slow_pid(database)) for _ in range(3)]
        return {each.result() for each in asked}

    first = await server_processes()
    assert len(first) == 3
    assert await server_processes() == first
    await database.aclose()


async def slow_pid(database: Database) -> int:
    async with database.system_session() as session:
        statement = text("SELECT pg_backend_pid() FROM pg_sleep(0.2)")
        return int(await session.scalar(statement) or 0)


async def test_a_server_that_refuses_is_503_at_once(settings: ControlPlaneSettings) -> None:
    nowhere = f"postgresql+psycopg://nobody@127.0.0.1:{free_port()}/none"
    app = create_app(settings.model_copy(update={"database_url": nowhere}))
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://switchboard.test") as http:
        answer = await http.get("/readyz")
        alive = await http.get("/healthz")

    assert alive.status_code == 200
    assert answer.status_code == 503
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["retry-after"] == "2"
    assert answer.json()["code"] == "database_unavailable"


@pytest.fixture
def server_directory() -> Iterator[Path]:
    directory = Path(tempfile.mkdtemp(prefix="switchboard-outage-"))
    directory.chmod(0o711)
    yield directory
    shutil.rmtree(directory)


async def test_a_server_that_hangs_is_503_within_the_deadline_and_recovers(
    settings: ControlPlaneSettings, server_directory: Path
) -> None:
    server = PostgresServer(server_directory / "postgres", durable=False)
    with running(server, server_directory / "log"):
        migrate(server.url)
        app = create_app(
            settings.model_copy(
                update={
                    "database_url": server.url,
                    "request_deadline_seconds": DEADLINE_SECONDS,
                }
            )
        )
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(
            transport=transport, base_url="http://switchboard.test"
        ) as http:
            assert (await http.get("/readyz")).status_code == 200
            with frozen(server_directory):
                # The first meets a connection of the pool, the others must open new ones.
                for _ in range(3):
                    started_at = time.monotonic()
                    answers = await asyncio.gather(*(http.get("/readyz") for _ in range(30)))
                    took_seconds = time.monotonic() - started_at
                    assert {answer.status_code for answer in answers} == {503}
                    assert took_seconds < DEADLINE_SECONDS + TOLERANCE_SECONDS
            # First the server takes up the connections that nobody waits for any more.
            while (await http.get("/readyz")).status_code != 200:
                pass
            answers = await asyncio.gather(*(http.get("/readyz") for _ in range(30)))
            assert {answer.status_code for answer in answers} == {200}


async def test_times_are_those_of_utc_whatever_time_zone_the_server_has(
    postgres_url: str,
) -> None:
    async with await AsyncConnection.connect(
        postgres_url.replace("+psycopg", ""), autocommit=True
    ) as owner:
        name = owner.info.dbname
        await owner.execute(f"ALTER DATABASE {name} SET timezone = 'Asia/Kolkata'".encode())
    database = Database(postgres_url)
    for open_session in (database.system_session, partial(database.tenant_session, uuid4())):
        async with open_session() as session:
            evening = await session.scalar(text("SELECT timestamptz '2026-12-31 20:00:00+00'"))
        assert f"{evening:%Y-%m-%d}" == "2026-12-31", "which is 2027 in India"
    await database.aclose()


async def test_a_restarted_server_is_noticed_without_a_failed_request(
    settings: ControlPlaneSettings, server_directory: Path
) -> None:
    server = PostgresServer(server_directory / "postgres", free_port(), durable=False)
    with running(server, server_directory / "log"):
        migrate(server.url)
        app = create_app(settings.model_copy(update={"database_url": server.url}))
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(
            transport=transport, base_url="http://switchboard.test"
        ) as http:
            answers = await asyncio.gather(*(http.get("/readyz") for _ in range(5)))
            assert {answer.status_code for answer in answers} == {200}
    async with httpx2.AsyncClient(transport=transport, base_url="http://switchboard.test") as http:
        assert (await http.get("/readyz")).status_code == 503
        with running(server, server_directory / "log"):
            for _ in range(10):
                assert (await http.get("/readyz")).status_code == 200


async def test_a_connection_that_the_server_has_closed_is_replaced(postgres_url: str) -> None:
    database = Database(postgres_url, pool_size=1)
    async with database.system_session() as session:
        closed = await session.scalar(text("SELECT pg_backend_pid()"))
    async with await AsyncConnection.connect(postgres_url.replace("+psycopg", "")) as other:
        await other.execute("SELECT pg_terminate_backend(%s, 5000)", (closed,))
    async with database.system_session() as session:
        assert await session.scalar(text("SELECT pg_backend_pid()")) != closed
    await database.aclose()


async def test_a_transaction_of_one_statement_makes_three_round_trips(
    tenant: TenantClient, postgres_url: str, tmp_path: Path
) -> None:
    """The one at its beginning also says the role and the tenant."""
    database = Database(postgres_url, pool_size=1)
    async with database._app.connect() as connection:
        driver = (await connection.get_raw_connection()).driver_connection
    assert isinstance(driver, AsyncConnection)
    trace = tmp_path / "trace"
    with trace.open("w") as file:
        driver.pgconn.trace(file.fileno())
        assert await count_visible_tenants(database, tenant.tenant_id) == 1
        driver.pgconn.untrace()
    assert trace.read_text().count("ReadyForQuery") == 3
    await database.aclose()


async def count_visible_tenants(database: Database, tenant_id: UUID) -> int:
    async with database.tenant_session(tenant_id) as session:
        return await session.scalar(select(func.count()).select_from(Tenant)) or 0


async def test_waiting_for_the_server_leaves_the_processor_to_others(
    settings: ControlPlaneSettings,
) -> None:
    database = Database(settings.database_url, deadline_seconds=20)
    async with database.system_session() as session:
        started_cpu = time.process_time()
        await session.execute(text("SELECT pg_sleep(1)"))
        assert time.process_time() - started_cpu < 0.5
    await database.aclose()


@contextmanager
def frozen(directory: Path) -> Iterator[None]:
    """Every process of the server under ``directory`` stops in its tracks, and goes on later."""
    [pid_file] = directory.rglob("postmaster.pid")
    postmaster = psutil.Process(int(pid_file.read_text().splitlines()[0]))
    processes = [postmaster, *postmaster.children(recursive=True)]
    for process in processes:
        process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            process.send_signal(signal.SIGCONT)


async def test_what_follows_a_commit_does_not_follow_a_rollback(database: Database) -> None:
    done: list[str] = []
    async with database.system_session() as session:
        after_commit(session, lambda: done.append("committed"))
        assert done == []
    with suppress(LookupError):
        async with database.system_session() as session:
            after_commit(session, lambda: done.append("rolled back"))
            raise LookupError
    assert done == ["committed"]
