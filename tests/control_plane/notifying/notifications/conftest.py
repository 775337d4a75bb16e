"""A mail server, and the jobs that send to it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from aiosmtpd.smtp import SMTP

from control_plane.platform.database import Database
from control_plane.platform.job_queue import job_queue, job_resources, worker_connector
from control_plane.platform.settings import ControlPlaneSettings, SmtpSettings
from tests.control_plane.calling.intelligence.conftest import make_jobs_due
from tests.control_plane.linked import consumer, redis, settings, worker
from tests.control_plane.platform.mail.test_mailer import Mailbox, Refusing, listening

__all__ = ["consumer", "redis", "settings", "worker"]


@pytest.fixture
def mailbox() -> Mailbox:
    return Mailbox()


@pytest.fixture
async def with_smtp(
    settings: ControlPlaneSettings, mailbox: Mailbox
) -> AsyncIterator[ControlPlaneSettings]:
    async with listening(lambda: SMTP(mailbox)) as port:
        yield _sending_to(settings, port)


@pytest.fixture
async def with_refusing_smtp(
    settings: ControlPlaneSettings,
) -> AsyncIterator[ControlPlaneSettings]:
    async with listening(lambda: SMTP(Refusing())) as port:
        yield _sending_to(settings, port)


def _sending_to(settings: ControlPlaneSettings, port: int) -> ControlPlaneSettings:
    smtp = SmtpSettings(
        host="127.0.0.1", port=port, encryption="none", sender="switchboard@example.com"
    )
    return settings.model_copy(update={"smtp": smtp})


@pytest.fixture
async def run_jobs(
    postgres_url: str, database: Database
) -> AsyncIterator[Callable[[ControlPlaneSettings], Awaitable[None]]]:
    """Runs every job once, also those that have to wait."""

    async def run(settings: ControlPlaneSettings) -> None:
        await make_jobs_due(database)
        await job_queue.run_worker_async(
            wait=False,
            install_signal_handlers=False,
            additional_context=job_resources(database, settings),
        )

    with job_queue.replace_connector(worker_connector(postgres_url)):
        async with job_queue.open_async():
            yield run
