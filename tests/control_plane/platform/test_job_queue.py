"""Jobs are added with the change that calls for them, and what stalls is run again."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from procrastinate.jobs import Job
from procrastinate.tasks import Task
from sqlalchemy import text
from structlog.testing import capture_logs

from control_plane.building.knowledge_sources.embedding_again import embed_again
from control_plane.building.knowledge_sources.old_bundles import delete_old_bundles
from control_plane.calling.batches.tasks import cancel_calls_of_batch
from control_plane.calling.erasure.models import Erasure
from control_plane.calling.erasure.tasks import MOST_ATTEMPTS, erase_caller, look_again
from control_plane.calling.recordings.tasks import delete_refused, remove_left_parts
from control_plane.calling.transfers.asking import DIAL
from control_plane.jobs import JOB_DOMAINS
from control_plane.money.billing.tasks import audit_books
from control_plane.platform import job_queue as job_queue_module
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.job_queue import (
    delete_ended_jobs,
    enqueue,
    job_queue,
    job_resources,
    queue_after_death,
    queues_of_rescued,
    rescue_stalled_jobs,
    worker_connector,
)
from tests.control_plane.conftest import TenantClient

ARGUMENTS = {"tenant_id": str(uuid4()), "batch_id": str(uuid4())}


def of(tenant: TenantClient) -> dict[str, str]:
    return ARGUMENTS | {"tenant_id": str(tenant.tenant_id)}


class Undone(Exception):
    """Rolls a transaction back."""


@pytest.fixture
async def open_queue(postgres_url: str) -> AsyncIterator[None]:
    with job_queue.replace_connector(worker_connector(postgres_url)):
        async with job_queue.open_async():
            yield


async def statuses(database: Database) -> list[str]:
    async with database.system_session() as session:
        rows = await session.scalars(text("SELECT status FROM procrastinate_jobs ORDER BY id"))
        return [str(status) for status in rows]


async def run_until_empty(database: Database) -> None:
    await job_queue.run_worker_async(
        wait=False, install_signal_handlers=False, additional_context=job_resources(database)
    )


async def rescue(database: Database) -> None:
    context: Any = SimpleNamespace(additional_context=job_resources(database))
    await rescue_stalled_jobs(context, timestamp=0)


async def die_three_times(database: Database) -> list[str]:
    """A process dies that runs the job, and two that run it again; its status after each."""
    after_each = []
    for _ in range(3):
        async with database.system_session() as session:
            await session.execute(text("UPDATE procrastinate_jobs SET status = 'doing'"))
        await rescue(database)
        after_each += await statuses(database)
    return after_each


async def test_a_job_of_a_transaction_that_is_rolled_back_does_not_exist(
    tenant: TenantClient, database: Database
) -> None:
    async def change_of_mind() -> None:
        async with database.tenant_session(tenant.tenant_id) as session:
            await enqueue(session, cancel_calls_of_batch, **of(tenant))
            raise Undone

    with pytest.raises(Undone):
        await change_of_mind()
    assert await statuses(database) == []


async def test_a_request_can_add_a_job(tenant: TenantClient, database: Database) -> None:
    async with database.tenant_session(tenant.tenant_id) as session:
        await enqueue(session, cancel_calls_of_batch, **of(tenant))
    assert await statuses(database) == ["todo"]


async def test_arguments_that_cannot_be_stored_are_a_fault_of_theirs(database: Database) -> None:
    with pytest.raises(ValueError, match="cannot store"):
        async with database.system_session() as session:
            await enqueue(session, DIAL, to_number="+1415\x00")


@pytest.mark.usefixtures("open_queue")
async def test_every_declared_job_runs(database: Database) -> None:
    async with database.system_session() as session:
        await enqueue(session, cancel_calls_of_batch, **ARGUMENTS)
        await enqueue(session, audit_books, timestamp=0)
        await enqueue(session, rescue_stalled_jobs, timestamp=0)
    await run_until_empty(database)
    # Behind them may stand what the schedule has added meanwhile.
    assert (await statuses(database))[:3] == ["succeeded"] * 3


@pytest.mark.usefixtures("open_queue")
async def test_a_job_whose_process_died_is_run_again(database: Database) -> None:
    async with database.system_session() as session:
        await enqueue(session, cancel_calls_of_batch, **ARGUMENTS)
        await session.execute(text("UPDATE procrastinate_jobs SET status = 'doing'"))
    await rescue(database)
    await run_until_empty(database)
    assert (await statuses(database))[0] == "succeeded"


@pytest.mark.usefixtures("open_queue")
async def test_a_job_that_kills_its_process_is_given_up_after_three_tries(
    database: Database,
) -> None:
    async with database.system_session() as session:
        await enqueue(session, cancel_calls_of_batch, **ARGUMENTS)
    assert await die_three_times(database) == ["todo", "todo", "failed"]


async def test_jobs_that_failed_or_were_aborted_are_deleted_after_a_week(
    database: Database,
) -> None:
    async with database.system_session() as session:
        for status in ("failed", "aborted", "todo", "failed"):
            await enqueue(session, DIAL, to_number="+14155550123")
            await session.execute(
                text(
                    "UPDATE procrastinate_jobs"
                    " SET status = CAST(:status AS procrastinate_job_status)"
                    " WHERE id = (SELECT max(id) FROM procrastinate_jobs)"
                ),
                {"status": status},
            )
        await session.execute(
            text(
                "UPDATE procrastinate_events SET at = now() - interval '8 days'"
                " WHERE job_id < (SELECT max(id) FROM procrastinate_jobs)"
            )
        )
    context: Any = SimpleNamespace(additional_context=job_resources(database))
    await delete_ended_jobs(context, timestamp=0)
    assert await statuses(database) == ["todo", "failed"]


async def add_scheduled(database: Database, status: str) -> None:
    """A job of which only one may wait, as the schedule adds it."""
    async with database.system_session() as session:
        await enqueue(session, embed_again, timestamp=0)
        await session.execute(
            text(
                "UPDATE procrastinate_jobs SET status = CAST(:status AS procrastinate_job_status),"
                " lock = :lock WHERE task_name = :name AND status = 'todo'"
            ),
            {"status": status, "lock": embed_again.lock, "name": embed_again.name},
        )


@pytest.mark.usefixtures("open_queue")
async def test_a_job_that_died_makes_room_for_the_next_one_of_its_schedule(
    database: Database,
) -> None:
    """The next one waits for its lock, and while it waits the dead one must not."""
    await add_scheduled(database, "doing")
    await add_scheduled(database, "todo")
    async with database.system_session() as session:
        await enqueue(session, cancel_calls_of_batch, **ARGUMENTS)
        await session.execute(
            text("UPDATE procrastinate_jobs SET status = 'doing' WHERE task_name = :name"),
            {"name": cancel_calls_of_batch.name},
        )
    await rescue(database)
    assert await statuses(database) == ["todo", "todo"]
    await run_until_empty(database)
    # This process has no settings, so the job that had to wait for the lock has failed by now.
    assert (await statuses(database))[:2] == ["failed", "succeeded"]


@pytest.mark.usefixtures("open_queue")
async def test_a_job_that_cannot_be_rescued_holds_up_no_other(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(database: Database, **_: str) -> None:
        raise TypeError

    monkeypatch.setitem(job_queue_module._given_up, erase_caller.name, fails)
    async with database.system_session() as session:
        await enqueue(session, erase_caller, tenant_id=str(uuid4()), erasure_id=str(uuid4()))
        await session.execute(text("UPDATE procrastinate_jobs SET queue_name = 'default.3'"))
        await enqueue(session, cancel_calls_of_batch, **ARGUMENTS)
        await session.execute(text("UPDATE procrastinate_jobs SET status = 'doing'"))
    await rescue(database)
    assert await statuses(database) == ["doing", "todo"]


@pytest.mark.usefixtures("open_queue")
async def test_only_the_ids_of_a_job_that_is_given_up_are_logged(database: Database) -> None:
    ids = {"tenant_id": str(uuid4()), "call_id": str(uuid4()), "participant_id": str(uuid4())}
    async with database.system_session() as session:
        await enqueue(session, DIAL, **ids, to_number="+14155550123")
    with capture_logs() as logged:
        await die_three_times(database)
    [given_up] = [each for each in logged if each["event"] == "job_given_up"]
    assert given_up["arguments"] == ids


async def an_erasure(tenant: TenantClient, database: Database) -> str:
    """Its path. Its job always fails: this process has no settings."""
    erasure_id = uuid4()
    async with database.system_session() as session:
        session.add(
            Erasure(
                id=erasure_id,
                tenant_id=tenant.tenant_id,
                sealed_caller="sealed",
                caller_hmac="hmac",
                requested_by={"kind": "user", "id": None, "label": "Mia"},
            )
        )
        ids = {"tenant_id": str(tenant.tenant_id), "erasure_id": str(erasure_id)}
        await enqueue(session, erase_caller, **ids)
    return f"/v1/erasures/{erasure_id}"


async def run_after(database: Database, attempts: int) -> None:
    """Run the job as if it had failed that often."""
    async with database.system_session() as session:
        await session.execute(
            text("UPDATE procrastinate_jobs SET attempts = :attempts, scheduled_at = NULL"),
            {"attempts": attempts},
        )
    await run_until_empty(database)


@pytest.mark.usefixtures("open_queue")
async def test_what_waits_for_a_job_that_is_given_up_fails_with_it(
    tenant: TenantClient, database: Database
) -> None:
    path = await an_erasure(tenant, database)
    await die_three_times(database)
    shown = (await tenant.get(path)).json()
    assert (shown["status"], shown["completed_at"]) == ("failed", None)
    assert "ask again" in shown["waits_for"]


@pytest.mark.usefixtures("open_queue")
async def test_a_job_that_fails_at_its_last_try_is_given_up(
    tenant: TenantClient, database: Database
) -> None:
    path = await an_erasure(tenant, database)
    await run_after(database, MOST_ATTEMPTS - 1)
    assert (await tenant.get(path)).json()["status"] == "running"
    assert (await statuses(database))[0] == "todo"
    await run_after(database, MOST_ATTEMPTS)
    assert (await tenant.get(path)).json()["status"] == "failed"
    assert (await statuses(database))[0] == "failed"


@pytest.mark.usefixtures("open_queue")
async def test_a_job_that_cannot_be_given_up_is_tried_once_more(
    tenant: TenantClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def database_is_away(database: Database, **_: str) -> None:
        raise DatabaseUnavailable

    path = await an_erasure(tenant, database)
    with monkeypatch.context() as patched:
        patched.setitem(job_queue_module._given_up, erase_caller.name, database_is_away)
        await run_after(database, MOST_ATTEMPTS)
    assert (await statuses(database))[0] == "todo"
    await run_after(database, MOST_ATTEMPTS + 1)
    assert (await tenant.get(path)).json()["status"] == "failed"


def job_of(task: Task[Any, Any, Any], attempts: int) -> Job:
    """One that was tried so often."""
    return Job(
        id=1,
        queue=task.queue,
        lock=None,
        queueing_lock=None,
        task_name=task.name,
        attempts=attempts,
    )


def tried_for(task: Task[Any, Any, Any]) -> timedelta:
    """From the first try of a job that always fails to its last."""
    waits, now = timedelta(), datetime.now(UTC)
    for attempts in itertools.count():
        again = task.get_retry_exception(RuntimeError(), job_of(task, attempts))
        if again is None or again.retry_decision.retry_at is None:
            break
        waits += again.retry_decision.retry_at - now
    return waits


@pytest.mark.parametrize(
    "task", [delete_refused, remove_left_parts, look_again, delete_old_bundles]
)
def test_what_nobody_else_would_delete_is_tried_for_a_day(task: Task[Any, Any, Any]) -> None:
    assert timedelta(days=1) < tried_for(task) < timedelta(days=1.1)


def test_a_job_whose_process_stops_during_its_last_try_is_tried_once_more() -> None:
    last = job_of(erase_caller, MOST_ATTEMPTS)
    assert erase_caller.get_retry_exception(RuntimeError(), last) is None
    assert erase_caller.get_retry_exception(asyncio.CancelledError(), last) is not None


def test_a_job_that_no_schedule_adds_again_survives_the_stop_of_its_process() -> None:
    """Such as a mail: a new release stops the processes of the old one."""
    added_once = [
        task
        for domain in JOB_DOMAINS
        for task in vars(domain).values()
        if isinstance(task, Task) and task.queueing_lock is None
    ]
    assert {task.name for task in added_once} > {"notifications.send_mail", DIAL}
    for failure in (asyncio.CancelledError(), DatabaseUnavailable()):
        lost = [
            task.name
            for task in added_once
            if task.get_retry_exception(failure, job_of(task, attempts=0)) is None
        ]
        assert lost == []


def test_a_job_that_sees_to_its_failures_itself_is_not_tried_again_after_one() -> None:
    dial = job_queue.tasks[DIAL]
    assert dial.get_retry_exception(RuntimeError(), job_of(dial, attempts=0)) is None


def test_rescued_jobs_are_run_by_the_processes_of_their_queue() -> None:
    second = queue_after_death("recordings")
    third = queue_after_death(second or "")
    assert [second, third] == queues_of_rescued("recordings")
    assert queue_after_death(third or "") is None
