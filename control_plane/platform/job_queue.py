"""The job queue (procrastinate, in PostgreSQL). A job exists if and only if the change that added
it was committed.

Domains declare their jobs with ``@job_queue.task`` in ``tasks.py``; the jobs process runs them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import psycopg
import structlog
from procrastinate import App, JobContext, PsycopgConnector, RetryStrategy
from procrastinate.exceptions import ConnectorException, UniqueViolation
from procrastinate.jobs import Job, Status
from procrastinate.middleware import AsyncCallNext
from procrastinate.retry import BaseRetryStrategy, RetryDecision
from procrastinate.tasks import Task
from procrastinate.types import TimeDeltaParams
from procrastinate.worker import Worker
from psycopg.abc import PQGen
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.platform import job_repository
from control_plane.platform.batched_deletion import delete_in_batches
from control_plane.platform.database import SYSTEM_ROLE, Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.settings import ControlPlaneSettings

PATIENT_QUEUE = "patient"
"""For jobs that mostly wait for other servers. Many run at once. Like those of the next queue they
work on what tenants wrote."""
RECORDINGS_QUEUE = "recordings"
"""For jobs that create files for minutes. Each takes a core, so a process runs one at a time, and
one more if it is a rescued one."""
KNOWLEDGE_QUEUE = "knowledge"
"""For what takes a core for minutes, too, and must not hold up the recordings of calls."""
MOST_TRIES = 3
"""A job is given up when so many processes have died while they ran it."""
TRIED_FOR_A_DAY = RetryStrategy(max_attempts=8, exponential_wait=4)
"""For jobs that delete what nobody else would find again."""
ENDED_KEPT = timedelta(days=7)
"""For the operator, who may look why a job has failed."""
ONCE_MORE_AFTER_SECONDS = 60
LOOK_UP_SECONDS = 10.0
_Value = TypeVar("_Value")
_GivenUp = Callable[..., Awaitable[None]]
_given_up: dict[str, _GivenUp] = {}
"""By the task's name, what is left to do for a job that is given up."""
_DATABASE = "database"
_SETTINGS = "settings"
_log = structlog.get_logger(__name__)


class _OnlyIfStopped(BaseRetryStrategy):
    _tries = RetryStrategy(max_attempts=8, exponential_wait=2)

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        if isinstance(exception, Exception) and not isinstance(exception, DatabaseUnavailable):
            return None
        return self._tries.get_retry_decision(exception=exception, job=job)


ONLY_IF_STOPPED = _OnlyIfStopped()
"""For jobs that are added once and see to their failures themselves: they are tried again if their
process was stopped before their end, or PostgreSQL was away."""

job_queue = App(connector=PsycopgConnector())
"""It is not connected: jobs are added through a session's connection."""


async def enqueue(
    session: AsyncSession,
    task: Task[Any, Any, Any] | str,
    *,
    not_within: timedelta = timedelta(),
    lock: str | None = None,
    queue: str | None = None,
    priority: int = 0,
    **arguments: Any,
) -> None:
    """Add a job in ``session``'s transaction.

    Args:
        task: or the name of one that a domain above the caller's declares.
        queue: where a task that is named waits; the default queue if it is not given.
        not_within: how long the job waits at least.
        lock: jobs with the same lock run one after the other. One that waits, even for its time,
            holds up later ones with the same priority and all with a lower one.
        priority: jobs with a higher one run first.
        arguments: the job's arguments, as JSON values.

    Raises:
        DatabaseUnavailable: the connection to PostgreSQL was lost.
        ValueError: PostgreSQL cannot store the arguments.
    """
    connection = await session.connection()
    driver = (await connection.get_raw_connection()).driver_connection
    try:
        wait: TimeDeltaParams | None = (
            {"seconds": int(not_within.total_seconds())} if not_within else None
        )
        if isinstance(task, str):
            deferrer = job_queue.configure_task(
                task,
                connection=driver,
                schedule_in=wait,
                lock=lock,
                queue=queue,
                priority=priority,
            )
        else:
            deferrer = task.configure(
                connection=driver, schedule_in=wait, lock=lock, priority=priority
            )
        await deferrer.defer_async(**arguments)
    except ConnectorException as error:
        if _is_out_of_reach(error):
            raise DatabaseUnavailable from error
        if isinstance(error.__cause__, psycopg.DataError):
            raise ValueError("PostgreSQL cannot store the job's arguments") from error
        raise


class _CalmConnection(psycopg.AsyncConnection[Any]):
    """A connection that waits for notifications until one comes.

    psycopg looks up ten times a second, so that a signal reaches a thread that waits. Here the
    event loop hears the signals.
    """

    async def wait(
        self,
        gen: PQGen[_Value],
        interval: float = LOOK_UP_SECONDS,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is psycopg's
    ) -> _Value:
        return await super().wait(gen, interval, timeout)


def worker_connector(database_url: str, *, system_url: str | None = None) -> PsycopgConnector:
    """A connection pool for the jobs process, which sees the jobs of every tenant.

    It waits for notifications, so it needs connections that no pooler shares. The URLs are those of
    ``Database``.
    """
    conninfo = make_url(system_url or database_url).set(drivername="postgresql")
    arguments: dict[str, Any] = {"connect_timeout": 5}
    if system_url is None:
        arguments["options"] = f"-c role={SYSTEM_ROLE}"
    return PsycopgConnector(
        conninfo=conninfo.render_as_string(hide_password=False),
        kwargs=arguments,
        min_size=1,
        max_size=8,
        connection_class=_CalmConnection,
    )


def job_resources(
    database: Database, settings: ControlPlaneSettings | None = None
) -> dict[str, Any]:
    """What the jobs process passes to every job."""
    return {_DATABASE: database, _SETTINGS: settings}


def database_of(context: JobContext) -> Database:
    """The database of the process that runs the job."""
    database: Database = context.additional_context[_DATABASE]
    return database


def settings_of(context: JobContext) -> ControlPlaneSettings:
    """The settings of the process that runs the job."""
    settings: ControlPlaneSettings | None = context.additional_context[_SETTINGS]
    if settings is None:
        raise RuntimeError("this process was started without settings for jobs")
    return settings


def when_given_up(task: Task[Any, Any, Any]) -> Callable[[_GivenUp], _GivenUp]:
    """Declares what is done for a job of ``task`` that is given up, so that nothing waits for it:
    it has failed at its last try, or its processes died. The function gets the ``Database`` and the
    job's arguments, and may run twice."""

    def declare(function: _GivenUp) -> _GivenUp:
        _given_up[task.name] = function
        task.task_middleware.append(_give_up_after_last_try)
        task.retry_strategy = _UntilGivenUp(task.retry_strategy)
        return function

    return declare


class _NotGivenUp(Exception):
    """PostgreSQL was away when a job was to be given up."""


class _UntilGivenUp(BaseRetryStrategy):
    """Like ``tries``, and once more if the last one was stopped with its process, or could not be
    given up."""

    def __init__(self, tries: BaseRetryStrategy | None) -> None:
        self._tries = tries

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        decision = None
        if self._tries is not None:
            decision = self._tries.get_retry_decision(exception=exception, job=job)
        was_stopped = not isinstance(exception, Exception)
        if decision is None and (was_stopped or isinstance(exception, _NotGivenUp)):
            return RetryDecision(retry_in={"seconds": ONCE_MORE_AFTER_SECONDS})
        return decision


async def _give_up_after_last_try(
    call_next: AsyncCallNext, context: JobContext, worker: Worker
) -> Any:
    try:
        return await call_next()
    except Exception as error:
        task = job_queue.tasks[context.job.task_name]
        if task.get_retry_exception(error, context.job) is None:
            try:
                await _give_up(database_of(context), context.job)
            except DatabaseUnavailable:
                raise _NotGivenUp from error
        raise


async def _give_up(database: Database, job: Job) -> None:
    # No others: a phone number must not be in a log.
    ids = {name: value for name, value in job.task_kwargs.items() if name.endswith("_id")}
    _log.error("job_given_up", job_id=job.id, task=job.task_name, arguments=ids)
    if function := _given_up.get(job.task_name):
        await function(database, **job.task_kwargs)


@job_queue.periodic(cron="* * * * *")
@job_queue.task(
    name="job_queue.rescue_stalled_jobs", pass_context=True, queueing_lock="rescue_stalled_jobs"
)
async def rescue_stalled_jobs(context: JobContext, timestamp: int) -> None:
    """Run the unfinished jobs of a dead process again. So any job may run twice, and ``MOST_TRIES``
    times at most."""
    for job in await job_queue.job_manager.get_stalled_jobs():
        try:
            await _rescue(database_of(context), job)
        except Exception as error:
            if isinstance(error, DatabaseUnavailable) or _is_out_of_reach(error):
                raise
            # No other job waits for this one. The next look tries it again.
            _log.exception("job_not_rescued", job_id=job.id, task=job.task_name)


@job_queue.periodic(cron="41 * * * *")
@job_queue.task(
    name="job_queue.delete_ended_jobs", pass_context=True, queueing_lock="delete_ended_jobs"
)
async def delete_ended_jobs(context: JobContext, timestamp: int) -> None:
    """Delete jobs that failed or were aborted longer ago than ``ENDED_KEPT``: nobody runs them
    again, and phone numbers are among their arguments."""
    before = datetime.now(UTC) - ENDED_KEPT
    await delete_in_batches(database_of(context), job_repository.delete_ended, before)


async def _rescue(database: Database, job: Job) -> None:
    manager = job_queue.job_manager
    queue = queue_after_death(job.queue)
    if queue is None:
        await _give_up(database, job)
        await manager.finish_job(job, Status.FAILED, delete_job=False)
        return
    try:
        await manager.retry_job(job, queue=queue)
    except UniqueViolation:
        # The schedule has added the next one meanwhile, of which only one may wait. It does the
        # same work, and may wait for the lock of this one.
        await manager.finish_job(job, Status.ABORTED, delete_job=True)
    _log.warning("job_rescued", job_id=job.id, task=job.task_name)


def _is_out_of_reach(error: Exception) -> bool:
    return isinstance(error.__cause__, psycopg.OperationalError)


def queue_after_death(queue: str) -> str | None:
    """The queue in which a job waits after the process that ran it has died; ``None``: give it up.

    The name of a queue says which try its jobs are at: ``patient``, ``patient.2``, ``patient.3``.
    """
    name, _, tries = queue.partition(".")
    try_number = int(tries or 1) + 1
    return f"{name}.{try_number}" if try_number <= MOST_TRIES else None


def queues_of_rescued(queue: str) -> list[str]:
    """The queues of jobs of ``queue`` whose process has died. They run one at a time, so that one
    that kills its process takes as few others with it as possible."""
    return [f"{queue}.{number}" for number in range(2, MOST_TRIES + 1)]
