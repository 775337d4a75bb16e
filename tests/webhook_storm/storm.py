"""Many events to endpoints of every kind, while the delivering processes are killed and PostgreSQL
is stopped: every event must reach every healthy endpoint."""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import LiteralString
from uuid import UUID, uuid4

import psycopg

from control_plane.migrate import migrate
from control_plane.platform.database import SYSTEM_ROLE
from switchboard.services.command import spawn, stop
from switchboard.services.embedded_server import START_TIMEOUT_SECONDS, ServerDidNotStart
from switchboard.services.ports import free_port
from switchboard.services.postgres import PostgresServer
from tests.short_directory import short_directory
from tests.webhook_storm.delivering import settings_for
from tests.webhook_storm.endpoints import ENDPOINTS, HEALTHY, Arrivals, receiving

PROCESSES = 2
"""While one is started again, another one delivers."""
PATIENCE_SECONDS = 120.0
_FACT: LiteralString = """
    INSERT INTO outbox_events (id, tenant_id, event, data) VALUES (%s, %s, 'agent.published',
        '{"title": "Mia is live", "message": "Version 3 of Mia is live.", "metadata": {}}')
"""


@dataclass(frozen=True)
class Plan:
    facts: int
    facts_a_second: float
    kills: int
    outage_seconds: float

    @property
    def seconds(self) -> float:
        """Without the outage, in which nothing is committed."""
        return self.facts / self.facts_a_second


@dataclass
class Outcome:
    facts: int = 0
    kills: int = 0
    missing: int = 0
    """Events that did not reach a healthy endpoint, counted for each endpoint."""
    repeated: int = 0
    """Events that reached a healthy endpoint more than once, counted for each endpoint."""
    late_ms: list[float] = field(default_factory=list)
    """From commit to first arrival, at healthy endpoints."""

    @property
    def share_repeated(self) -> float:
        return self.repeated / max(1, self.facts * len(HEALTHY))

    @property
    def p99_ms(self) -> float:
        return statistics.quantiles(self.late_ms, n=100)[98]


class Database:
    """A PostgreSQL of its own, which can be stopped and started at the same address."""

    def __init__(self, folder: Path) -> None:
        self._server = PostgresServer(folder / "postgres", free_port(), durable=True)
        self._log = (folder / "postgres.log").open("ab")
        self._process: subprocess.Popen[bytes] | None = None
        self._command = self._server.prepare()
        self.start()
        self.url = self._server.url
        self.plain_url = self.url.replace("postgresql+psycopg://", "postgresql://")

    def start(self) -> None:
        self._command = self._server.prepare()
        self._process = spawn(self._command, self._log)
        give_up_at = time.monotonic() + START_TIMEOUT_SECONDS
        while not self._server.is_ready(self._process.pid):
            if time.monotonic() > give_up_at:
                raise ServerDidNotStart("PostgreSQL did not start")
            time.sleep(0.05)

    def stop(self) -> None:
        assert self._process is not None
        stop(self._process, self._command.stop_signal, grace_seconds=10)

    def close(self) -> None:
        self.stop()
        self._server.release()
        self._log.close()


@contextmanager
def own_database() -> Iterator[Database]:
    with short_directory("webhook-storm-") as folder:
        database = Database(folder)
        try:
            yield database
        finally:
            database.close()


async def storm(plan: Plan) -> Outcome:
    arrivals, outcome = Arrivals(), Outcome()
    with own_database() as database:
        await asyncio.to_thread(migrate, database.url)
        async with receiving(arrivals) as port:
            tenant_id = await _register(database, port)
            async with _mortal_processes(database.url) as processes:
                sent = await _emit(database, tenant_id, plan, processes, outcome)
                await _until_reached(arrivals, sent)
    outcome.facts = len(sent)
    expected = {f"msg_{fact_id.hex}" for fact_id in sent}
    for endpoint in HEALTHY:
        seen = arrivals.times[endpoint]
        outcome.missing += len(expected - seen.keys())
        outcome.repeated += sum(count > 1 for count in seen.values())
        outcome.late_ms += arrivals.late_ms[endpoint]
    return outcome


async def _register(database: Database, port: int) -> UUID:
    """One tenant, all of whose endpoints want every event."""
    tenant_id = uuid4()
    sealed = settings_for(database.url).sealer.seal("a secret of the storm")
    async with await psycopg.AsyncConnection.connect(
        database.plain_url, autocommit=True
    ) as connection:
        await connection.execute(f"SET ROLE {SYSTEM_ROLE}")
        await connection.execute("INSERT INTO tenants (id, name) VALUES (%s, 'x')", (tenant_id,))
        for number in range(len(ENDPOINTS)):
            await connection.execute(
                "INSERT INTO webhooks (id, tenant_id, url, events, sealed_secret, redaction_level)"
                " VALUES (gen_random_uuid(), %s, %s, '{agent.published}', %s, 'partial')",
                (tenant_id, f"http://127.0.0.1:{port}/{number}", sealed),
            )
    return tenant_id


class Processes:
    def __init__(self, url: str) -> None:
        self._url = url
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        command = [sys.executable, "-m", "tests.webhook_storm.delivering", self._url]
        self._running.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))

    def kill_the_oldest(self) -> None:
        """And start another one."""
        self._kill(self._running.pop(0))
        self.start()

    def kill_all(self) -> None:
        while self._running:
            self._kill(self._running.pop())

    @staticmethod
    def _kill(process: subprocess.Popen[bytes]) -> None:
        assert process.poll() is None, "it has ended by itself"
        process.kill()
        process.wait()


@asynccontextmanager
async def _mortal_processes(url: str) -> AsyncIterator[Processes]:
    processes = Processes(url)
    for _ in range(PROCESSES):
        processes.start()
    try:
        yield processes
    finally:
        processes.kill_all()


async def _emit(
    database: Database, tenant_id: UUID, plan: Plan, processes: Processes, outcome: Outcome
) -> list[UUID]:
    """Commit the facts evenly, with kills between them and the outage in their middle; returns
    those that were committed."""
    sent: list[UUID] = []
    kill_after = {
        round((number + 1) * plan.facts / (plan.kills + 1)) for number in range(plan.kills)
    }
    connection = await _connected(database)
    begun = time.monotonic()
    for number in range(plan.facts):
        if number == plan.facts // 2:
            await connection.close()
            await asyncio.to_thread(database.stop)
            await asyncio.sleep(plan.outage_seconds)
            await asyncio.to_thread(database.start)
            connection = await _connected(database)
            begun = time.monotonic() - number / plan.facts_a_second
        if number in kill_after:
            await asyncio.to_thread(processes.kill_the_oldest)
            outcome.kills += 1
        fact_id = uuid4()
        await connection.execute(_FACT, (fact_id, tenant_id))
        sent.append(fact_id)
        await asyncio.sleep(begun + (number + 1) / plan.facts_a_second - time.monotonic())
    await connection.close()
    return sent


async def _connected(database: Database) -> psycopg.AsyncConnection:
    connection = await psycopg.AsyncConnection.connect(database.plain_url, autocommit=True)
    await connection.execute(f"SET ROLE {SYSTEM_ROLE}")
    return connection


async def _until_reached(arrivals: Arrivals, sent: list[UUID]) -> None:
    """Wait until every healthy endpoint has everything; at most ``PATIENCE_SECONDS``."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE_SECONDS):
            while any(  # noqa: ASYNC110 - a poll is precise enough
                len(arrivals.times[endpoint]) < len(sent) for endpoint in HEALTHY
            ):
                await asyncio.sleep(0.2)
