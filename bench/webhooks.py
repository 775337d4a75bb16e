"""How many webhooks one delivering process sends, how soon they arrive, and what reading a long
outbox takes.

python -m bench.webhooks [--deliveries 3000] [--seconds 20] [--rows 1000000]

The delivering process is this one; the receiver, and for the second table the source of the events,
run in others.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from typing import LiteralString
from uuid import UUID, uuid4

import psycopg
from rich.console import Console
from rich.table import Table
from sqlalchemy import text

from contracts.sealing import derived_key
from control_plane.migrate import migrate
from control_plane.notifying.webhooks.delivering.runner import DeliveryRunner
from control_plane.notifying.webhooks.fan_out import WebhookFanOut
from control_plane.platform.database import SYSTEM_ROLE, Database
from control_plane.platform.outbox import log_repository
from control_plane.platform.outbox.reader import OutboxReader
from control_plane.platform.settings import ControlPlaneSettings
from switchboard.services.embedded_server import running
from switchboard.services.postgres import PostgresServer
from tests.short_directory import short_directory

ENDPOINTS = 40
EVENTS_A_SECOND = 50
READS = 50
_FACTS: LiteralString = """
    INSERT INTO outbox_events (id, tenant_id, event, data)
    SELECT gen_random_uuid(), tenant.id, 'agent.published',
        '{"title": "Mia is live", "message": "Version 3 of Mia is live.", "metadata": {}}'
    FROM tenants AS tenant, generate_series(1, %s)
"""
_ONE_FACT: LiteralString = """
    INSERT INTO outbox_events (id, tenant_id, event, data)
    SELECT gen_random_uuid(), id, 'agent.published',
        '{"title": "Mia is live", "message": "Version 3 of Mia is live.", "metadata": {}}'
    FROM (SELECT id FROM tenants ORDER BY random() LIMIT 1) AS tenant
"""


def receive(connection: Connection) -> None:
    """A process that answers every request at once. It sends its port, and when it is asked, how
    late each event came, in milliseconds after it was emitted."""
    late_ms: list[float] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
                body = await reader.readexactly(length)
                emitted = body.partition(b'"timestamp":"')[2].partition(b'"')[0].decode()
                late = datetime.now(UTC) - datetime.fromisoformat(emitted)
                late_ms.append(late.total_seconds() * 1000)
                writer.write(b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def serve() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        connection.send(server.sockets[0].getsockname()[1])
        while await asyncio.to_thread(connection.recv):
            connection.send(list(late_ms))
            late_ms.clear()

    asyncio.run(serve())


def emit(url: str, seconds: int) -> None:
    """A process that commits ``EVENTS_A_SECOND`` events, evenly."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"SET ROLE {SYSTEM_ROLE}")
        begun = time.monotonic()
        for number in range(seconds * EVENTS_A_SECOND):
            time.sleep(max(0.0, begun + number / EVENTS_A_SECOND - time.monotonic()))
            connection.execute(_ONE_FACT)


@asynccontextmanager
async def delivering(database: Database, settings: ControlPlaneSettings) -> AsyncIterator[None]:
    runner = DeliveryRunner(database, settings)
    reader = OutboxReader(database, [WebhookFanOut(wake=runner.wake)])
    loops = [asyncio.create_task(runner.run()), asyncio.create_task(reader.run())]
    yield
    for loop in loops:
        loop.cancel()
    await asyncio.gather(*loops, return_exceptions=True)


async def left(database: Database) -> int:
    async with database.system_session() as session:
        if await log_repository.oldest_unread(session):
            return 1
        query = text("SELECT count(*) FROM webhook_deliveries WHERE status = 'pending'")
        return int(await session.scalar(query) or 0)


async def until_done(database: Database) -> None:
    while await left(database):  # noqa: ASYNC110 - the database has no event
        await asyncio.sleep(0.2)


def register(login: psycopg.Connection, settings: ControlPlaneSettings, port: int) -> None:
    """One tenant with one webhook for each endpoint."""
    sealed = settings.sealer.seal("a secret of the benchmark")
    for _ in range(ENDPOINTS):
        tenant_id: UUID = uuid4()
        login.execute("INSERT INTO tenants (id, name) VALUES (%s, 'Tenant')", (tenant_id,))
        login.execute(
            "INSERT INTO webhooks (id, tenant_id, url, events, sealed_secret, redaction_level)"
            " VALUES (gen_random_uuid(), %s, %s, '{agent.published}', %s, 'partial')",
            (tenant_id, f"http://127.0.0.1:{port}/hooks", sealed),
        )


async def measure(
    login: psycopg.Connection, url: str, settings: ControlPlaneSettings, wanted: argparse.Namespace
) -> None:
    console = Console()
    ours, theirs = multiprocessing.Pipe()
    receiver = multiprocessing.get_context("spawn").Process(
        target=receive, args=(theirs,), daemon=True
    )
    receiver.start()
    register(login, settings, await asyncio.to_thread(ours.recv))
    database = Database(settings.database_url)

    def arrived() -> list[float]:
        ours.send(True)
        late_ms: list[float] = ours.recv()
        return late_ms

    login.execute(_FACTS, (wanted.deliveries // ENDPOINTS,))
    begun, used = time.monotonic(), time.process_time()
    async with delivering(database, settings):
        await until_done(database)
    seconds, busy = time.monotonic() - begun, time.process_time() - used
    count = len(arrived())
    rate = Table("deliveries", "seconds", "a second", "a second of one core")
    rate.add_row(str(count), f"{seconds:.1f}", f"{count / seconds:.0f}", f"{count / busy:.0f}")
    console.print(rate)

    source = multiprocessing.get_context("spawn").Process(target=emit, args=(url, wanted.seconds))
    async with delivering(database, settings):
        source.start()
        await asyncio.to_thread(source.join)
        await until_done(database)
    late = sorted(arrived())
    soon = Table(f"at {EVENTS_A_SECOND} a second", "p50 ms", "p95 ms", "p99 ms")
    cuts = statistics.quantiles(late, n=100)
    soon.add_row(str(len(late)), *(f"{cuts[at]:.0f}" for at in (49, 94, 98)))
    console.print(soon)

    reading = Table("rows in the outbox", "p50 ms to read nothing new", "p95 ms")
    for rows in (1_000, wanted.rows):
        login.execute(_FACTS, (rows // ENDPOINTS,))
        login.execute("RESET ROLE")
        login.execute("ANALYZE outbox_events")
        login.execute(f"SET ROLE {SYSTEM_ROLE}")
        login.execute(
            "UPDATE outbox_cursors SET (transaction_id, position) ="
            " (SELECT max(transaction_id), max(position) FROM outbox_events)"
        )
        reader, took = OutboxReader(database, []), []
        for _ in range(READS):
            at = time.monotonic()
            await reader.read()
            took.append((time.monotonic() - at) * 1000)
        cuts = statistics.quantiles(took, n=20)
        reading.add_row(str(rows), f"{cuts[9]:.1f}", f"{cuts[18]:.1f}")
    console.print(reading)
    await database.aclose()
    receiver.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--deliveries", type=int, default=3000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rows", type=int, default=1_000_000)
    wanted = parser.parse_args()
    with short_directory("bench-webhooks-") as folder:
        server = PostgresServer(folder / "postgres", durable=True)
        with running(server, folder / "postgres.log") as url:
            migrate(url)
            settings = ControlPlaneSettings(
                database_url=url,
                redis_url="redis://127.0.0.1:1",
                public_url="http://switchboard.test",
                secret_key="a-secret-of-at-least-thirty-two-bytes",
                encryption_keys=(derived_key("of the benchmark"),),
                mail_outbox_dir=folder,
                knowledge_dir=folder,
                object_store_url=folder.as_uri(),
                environment="test",
                outbound_allowed_networks=("127.0.0.0/8",),
            )
            plain = url.replace("postgresql+psycopg://", "postgresql://")
            with psycopg.connect(plain, autocommit=True) as login:
                login.execute(f"SET ROLE {SYSTEM_ROLE}")
                asyncio.run(measure(login, plain, settings, wanted))


if __name__ == "__main__":
    main()
