"""The jobs process, whole, through the loss of each thing that it depends on."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from procrastinate.exceptions import ConnectorException
from procrastinate.manager import JobManager
from sqlalchemy import text
from structlog.testing import capture_logs

from contracts.call_plan import CallPlan
from contracts.events import CallMetered
from control_plane.app import create_app
from control_plane.jobs import JOBS_AT_ONCE, run_jobs
from control_plane.migrate import migrate
from control_plane.platform.database import Database
from control_plane.platform.job_queue import PATIENT_QUEUE
from control_plane.platform.link.link import Link
from control_plane.platform.settings import ControlPlaneSettings
from switchboard.services.embedded_server import running
from switchboard.services.postgres import PostgresServer
from switchboard.services.valkey import ValkeyServer
from tests.control_plane.conftest import TenantClient, open_account
from tests.control_plane.conversation import balance_of, call_of, claimed_call
from tests.control_plane.fake_worker import FakeWorker, fake_worker
from tests.control_plane.linked import settings, worker
from tests.free_worker import note_free_worker

__all__ = ["settings", "worker"]


@pytest.fixture
async def jobs(settings: ControlPlaneSettings) -> AsyncIterator[None]:
    stop = asyncio.Event()
    running_jobs = asyncio.create_task(run_jobs(settings, stop))
    yield
    stop.set()
    async with asyncio.timeout(5):
        await running_jobs


async def eventually(
    look: Callable[[], Awaitable[Any]], wanted: Callable[[Any], bool], seconds: float = 15
) -> Any:
    """What ``look`` sees once it is ``wanted``; fails after ``seconds``."""
    deadline = time.monotonic() + seconds
    while not wanted(seen := await look()):
        assert time.monotonic() < deadline, f"still {seen}"
        await asyncio.sleep(0.1)
    return seen


async def is_logged(logs: list[Any], event: str) -> None:
    async def events() -> list[str]:
        return [entry["event"] for entry in logs]

    await eventually(events, lambda logged: event in logged)


async def is_over(tenant: TenantClient, plan: CallPlan) -> dict[str, Any]:
    call: dict[str, Any] = await eventually(
        lambda: call_of(tenant, plan), lambda call: call["ended_at"] is not None
    )
    return call


@pytest.mark.usefixtures("jobs")
async def test_a_call_is_followed_to_its_end_and_its_cost_divided_over_the_providers(
    tenant: TenantClient, worker: FakeWorker
) -> None:
    plan = await claimed_call(tenant, worker)
    await worker.start(plan)
    await worker.end(plan, 1_000)
    await is_over(tenant, plan)
    call = await eventually(
        lambda: call_of(tenant, plan), lambda call: call["provider_cost_calculated_at"]
    )
    assert set(call["provider_cost_breakdown"]) == {"llm", "stt", "tts"}
    assert call["provider_cost"] == round(sum(call["provider_cost_breakdown"].values()), 6)
    assert call["provider_cost"] < call["total_cost"], "the platform's fee is not a provider's"
    assert (await balance_of(tenant))["held_usd"] == 0


async def queues_worked_on(database: Database) -> int:
    async with database.system_session() as session:
        await session.execute(text("RESET ROLE"))
        workers = await session.scalar(text("SELECT count(*) FROM procrastinate_workers"))
    return workers or 0


async def test_stopping_takes_less_than_a_moment(
    settings: ControlPlaneSettings, database: Database
) -> None:
    stop = asyncio.Event()
    jobs = asyncio.create_task(run_jobs(settings, stop))
    # One more takes the jobs that are run again after their process died.
    workers = len(JOBS_AT_ONCE) + 1
    await eventually(lambda: queues_worked_on(database), lambda count: count == workers)
    stop.set()
    async with asyncio.timeout(3):
        await jobs


async def test_stopping_ends_it_also_while_postgresql_is_away(
    settings: ControlPlaneSettings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def is_away(*_: Any) -> None:
        raise ConnectorException

    stop = asyncio.Event()
    jobs = asyncio.create_task(run_jobs(settings, stop))
    workers = len(JOBS_AT_ONCE) + 1
    await eventually(lambda: queues_worked_on(database), lambda count: count == workers)
    monkeypatch.setattr(JobManager, "unregister_worker", is_away)
    stop.set()
    async with asyncio.timeout(5):
        await jobs


async def test_stopping_ends_it_also_before_it_tries_postgresql_again(
    settings: ControlPlaneSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def is_away(_: JobManager) -> int:
        raise ConnectorException

    monkeypatch.setattr(JobManager, "register_worker", is_away)
    monkeypatch.setattr("control_plane.jobs.QUEUE_RETRY_SECONDS", 60)
    stop = asyncio.Event()
    with capture_logs() as logs:
        jobs = asyncio.create_task(run_jobs(settings, stop))
        await is_logged(logs, "job_queue_unavailable")
    # It waits now.
    await asyncio.sleep(0)
    stop.set()
    async with asyncio.timeout(5):
        await jobs


async def test_a_queue_whose_connection_is_lost_alone_is_worked_on_again(
    settings: ControlPlaneSettings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL may have too many clients just when one of its queues connects again."""
    listen, lost = JobManager.listen_for_jobs, asyncio.Event()
    losses = iter((True,))

    async def loses_one(manager: JobManager, **how: Any) -> None:
        if list(how["queues"]) == [PATIENT_QUEUE] and next(losses, False):
            await lost.wait()
            raise ConnectorException
        await listen(manager, **how)

    monkeypatch.setattr(JobManager, "listen_for_jobs", loses_one)
    stop = asyncio.Event()
    jobs = asyncio.create_task(run_jobs(settings, stop))
    workers = len(JOBS_AT_ONCE) + 1
    await eventually(lambda: queues_worked_on(database), lambda count: count == workers)
    lost.set()
    await eventually(lambda: queues_worked_on(database), lambda count: count < workers)
    await eventually(lambda: queues_worked_on(database), lambda count: count == workers)
    stop.set()
    async with asyncio.timeout(5):
        await jobs


@pytest.mark.usefixtures("jobs")
async def test_connections_that_the_database_drops_are_made_again(
    tenant: TenantClient, worker: FakeWorker, database: Database
) -> None:
    plan = await claimed_call(tenant, worker)
    await eventually(lambda: worker.applied_seq(plan.call_id), lambda seq: seq == 1)
    async with database.system_session() as session:
        await session.execute(text("RESET ROLE"))
        await session.execute(
            text(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        )
    await worker.start(plan)
    await worker.end(plan, 1_000)
    assert (await is_over(tenant, plan))["status"] == "completed"
    await eventually(
        lambda: call_of(tenant, plan), lambda call: call["provider_cost_calculated_at"]
    )


async def test_a_call_goes_on_when_valkey_was_away(
    tenant: TenantClient, app: FastAPI, settings: ControlPlaneSettings, tmp_path: Path
) -> None:
    server = ValkeyServer(tmp_path / "valkey")
    stop = asyncio.Event()
    with running(server, tmp_path / "valkey.log") as url:
        app.state.link = Link(url)
        jobs = asyncio.create_task(run_jobs(settings.model_copy(update={"redis_url": url}), stop))
        async with fake_worker(url) as worker:
            plan = await claimed_call(tenant, worker)
            await worker.start(plan)
            await eventually(lambda: worker.applied_seq(plan.call_id), lambda seq: seq == 2)
    worker.note(plan, CallMetered(connected_ms=5_000))
    with capture_logs() as logs:
        await is_logged(logs, "link.lost")
    assert not jobs.done(), "an outage is no reason to end"

    with running(server, tmp_path / "valkey.log") as url:
        async with fake_worker(url) as back:
            back.journal = worker.journal
            await back.renew_lease(plan.call_id)
            await back.ship_journal(plan, after_seq=2)
            await back.end(plan, 9_000)
            call = await is_over(tenant, plan)
            assert (call["status"], call["bill_duration"]) == ("completed", 9)
        stop.set()
        await jobs
    await app.state.link.aclose()


async def test_events_wait_for_postgresql_to_come_back(
    valkey_url: str, settings: ControlPlaneSettings, reachable_directory: Path
) -> None:
    server = PostgresServer(reachable_directory / "postgres", durable=False)
    log = reachable_directory / "postgres.log"
    stop = asyncio.Event()
    with running(server, log) as url:
        await asyncio.to_thread(migrate, url)
        own = settings.model_copy(update={"database_url": url, "redis_url": valkey_url})
        note_free_worker(valkey_url)
        app = create_app(own)
        transport = httpx2.ASGITransport(app=app)
        http = httpx2.AsyncClient(transport=transport, base_url=own.public_url)
        tenant = await open_account(http)
        impatient = own.model_copy(update={"request_deadline_seconds": 2.0})
        jobs = asyncio.create_task(run_jobs(impatient, stop))
        async with fake_worker(valkey_url) as worker:
            plan = await claimed_call(tenant, worker)
            await worker.start(plan)
            await eventually(lambda: worker.applied_seq(plan.call_id), lambda seq: seq == 2)

    async with fake_worker(valkey_url) as back:
        back.journal = worker.journal
        await back.end(plan, 9_000)
        answer = await tenant.get(f"/v1/calls/{plan.call_id}")
        assert (answer.status_code, answer.json()["code"]) == (503, "database_unavailable")
        with capture_logs() as logs:
            await is_logged(logs, "events_wait_for_database")
        assert not jobs.done(), "an outage is no reason to end"
        with running(server, log):
            call = await is_over(tenant, plan)
            assert (call["status"], call["bill_duration"]) == ("completed", 9)
            await eventually(
                lambda: call_of(tenant, plan), lambda call: call["provider_cost_calculated_at"]
            )
            stop.set()
            await jobs
            await http.aclose()
            await app.state.database.aclose()
            await app.state.link.aclose()


@pytest.fixture
def reachable_directory() -> Iterator[Path]:
    """A directory that PostgreSQL's unprivileged user can enter."""
    directory = Path(tempfile.mkdtemp(prefix="switchboard-jobs-"))
    directory.chmod(0o711)
    yield directory
    shutil.rmtree(directory)
