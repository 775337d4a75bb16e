"""One database and one Redis server, on which processes of several releases run."""

from __future__ import annotations

import asyncio
import secrets
import signal
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid4

import psycopg

from control_plane.platform.database import SYSTEM_ROLE
from switchboard.demo.account import agent_body
from switchboard.readiness import RedisReadiness, http_ready
from switchboard.services.embedded_server import running
from switchboard.services.ports import LOOPBACK, free_port
from switchboard.services.postgres import PostgresServer
from switchboard.services.valkey import ValkeyServer
from switchboard_client import AsyncSwitchboard
from tests.control_plane.many_calls import add_calls, add_details
from tests.short_directory import short_directory
from tests.upgrade.release import Release

START_SECONDS = 120.0
PATIENT = agent_body() | {"advanced": {"silencePromptDelay": 300, "postSilenceHangup": 300}}
"""The agent does not mind a caller who says nothing."""

STOP_SECONDS = 90.0
"""A worker that is told to stop lets its calls go on."""
MIGRATION_SECONDS = 900.0
PLAN_BYTES = 2000
_END_ALL = """
    UPDATE calls SET status = 'completed', end_reason = 'normal_hangup', ended_at = now()
    WHERE status IN ('queued', 'in_progress')
"""


@dataclass
class Running:
    """One process. ``url`` is set for an API."""

    name: str
    process: subprocess.Popen[bytes]
    log_path: Path
    url: str = ""

    def told_to_stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    async def ended(self, within_seconds: float = STOP_SECONDS) -> None:
        """Wait until it has ended by itself. Raises ``RuntimeError`` if it does not."""
        try:
            code = await asyncio.to_thread(self.process.wait, within_seconds)
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"{self.name} did not stop; see {self.log_path}") from None
        # Uvicorn ends with the signal that told it to stop.
        if code not in (0, -signal.SIGTERM):
            raise RuntimeError(f"{self.name} ended with {code}; see {self.log_path}")


@dataclass(frozen=True)
class Account:
    tenant_id: UUID
    secret_key: str
    agent_id: str


class Installation:
    """Starts processes that share the stores, the secrets and the folder of recordings."""

    def __init__(self, directory: Path, logs: Path, database_url: str, redis_url: str) -> None:
        self.directory = directory
        self._logs = logs
        logs.mkdir(parents=True, exist_ok=True)
        self.operator_token = secrets.token_urlsafe(16)
        self.psycopg_url = database_url.replace("+psycopg", "")
        self._redis_url = redis_url
        self._started: list[Running] = []
        self._environment = {
            "SWITCHBOARD_DATABASE_URL": self.psycopg_url,
            "SWITCHBOARD_REDIS_URL": redis_url,
            "SWITCHBOARD_SECRET_KEY": secrets.token_urlsafe(32),
            "SWITCHBOARD_OPERATOR_TOKEN": self.operator_token,
            "SWITCHBOARD_OBJECT_STORE_URL": (directory / "objects").as_uri(),
            "SWITCHBOARD_LOG_FORMAT": "json",
        }

    async def migrate(self, release: Release) -> None:
        migration = self._run(release, "migrate", f"migrate-{release.name}", {})
        await migration.ended(MIGRATION_SECONDS)
        self._started.remove(migration)

    async def api(self, release: Release, number: int = 1) -> Running:
        port = free_port()
        url = f"http://{LOOPBACK}:{port}"
        settings = {
            "SWITCHBOARD_HOST": LOOPBACK,
            "SWITCHBOARD_PORT": str(port),
            "SWITCHBOARD_PUBLIC_URL": url,
        }
        api = self._run(release, "api", f"api-{release.name}-{number}", settings)
        api.url = url
        await self._until(api, http_ready(LOOPBACK, port))
        return api

    async def jobs(self, release: Release, number: int = 1) -> Running:
        jobs = self._run(release, "jobs", f"jobs-{release.name}-{number}", {})

        async def has_started(_pid: int) -> bool:
            # Each release leaves other traces in Redis, but all of them log this.
            return "jobs_started" in jobs.log_path.read_text()

        await self._until(jobs, has_started)
        return jobs

    async def worker(self, release: Release, number: int = 1, slots: int = 100) -> Running:
        name = f"worker-{release.name}-{number}"
        settings = {
            "SWITCHBOARD_WORKER_ID": name,
            "SWITCHBOARD_WORKER_PROCESSES": "1",
            "SWITCHBOARD_SLOTS": str(slots),
        }
        worker = self._run(release, "worker", name, settings)
        await self._until(worker, RedisReadiness(self._redis_url).workers([name]))
        return worker

    async def account(self, api: Running) -> Account:
        """A new tenant with a published agent that speaks first."""
        async with AsyncSwitchboard(api.url, self.operator_token) as operator:
            tenant = await operator.request(
                "POST",
                "/v1/operator/tenants",
                body={"name": "Tenant", "owner_email": "owner@example.com"},
            )
        async with AsyncSwitchboard(api.url, tenant["api_key"]) as client:
            agent = await client.request("POST", "/v1/agents", body=PATIENT)
            await client.request("POST", f"/v1/agents/{agent['id']}/publish")
        return Account(UUID(tenant["tenant_id"]), tenant["api_key"], agent["id"])

    def add_history(self, calls: int) -> None:
        """Give another tenant that many calls, which are over, with the schema as it is."""
        tenant_id, agent_ids = uuid4(), [uuid4() for _ in range(8)]
        with psycopg.connect(self.psycopg_url, autocommit=True) as connection:
            connection.execute(f"SET ROLE {SYSTEM_ROLE}")
            connection.execute("INSERT INTO tenants (id, name) VALUES (%s, 'Busy')", (tenant_id,))
            add_calls(connection, tenant_id, agent_ids, calls, plan_bytes=PLAN_BYTES)
            connection.execute(f"SET ROLE {SYSTEM_ROLE}")
            connection.execute(_END_ALL)
            add_details(connection, tenant_id)

    def end(self) -> None:
        for each in self._started:
            if each.process.poll() is None:
                each.process.kill()
            each.process.wait()

    def _run(self, release: Release, verb: str, name: str, settings: dict[str, str]) -> Running:
        data_dir = self.directory / name
        data_dir.mkdir(exist_ok=True)
        environment = self._environment | settings | {"SWITCHBOARD_DATA_DIR": str(data_dir)}
        log_path = self._logs / f"{name}.log"
        started = Running(name, release.run((verb,), environment, log_path), log_path)
        self._started.append(started)
        return started

    async def _until(self, started: Running, ready: Callable[[int], Awaitable[bool]]) -> None:
        async with asyncio.timeout(START_SECONDS):
            while not await ready(started.process.pid):
                if started.process.poll() is not None:
                    raise RuntimeError(f"{started.name} ended; see {started.log_path}")
                await asyncio.sleep(0.2)


@contextmanager
def installation(logs: Path) -> Iterator[Installation]:
    """Stores without processes; ends what was started on them."""
    with ExitStack() as stack:
        directory = stack.enter_context(short_directory("switchboard-upgrade-"))
        postgres = PostgresServer(directory / "postgres", durable=False)
        database_url = stack.enter_context(running(postgres, directory / "postgres.log"))
        valkey = ValkeyServer(directory / "valkey")
        redis_url = stack.enter_context(running(valkey, directory / "valkey.log"))
        installed = Installation(directory, logs, database_url, redis_url)
        stack.callback(installed.end)
        yield installed
