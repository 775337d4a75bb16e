from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.platform.database import Database
from control_plane.platform.job_queue import job_queue, worker_connector
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.calling.recordings.recorded_call import RecordedCall
from tests.control_plane.conftest import TenantClient
from tests.control_plane.fake_worker import FakeWorker
from tests.control_plane.linked import consumer, redis, worker
from tests.control_plane.linked import settings as linked_settings

__all__ = ["consumer", "linked_settings", "redis", "worker"]


@pytest.fixture
def settings(linked_settings: ControlPlaneSettings, tmp_path: Path) -> ControlPlaneSettings:
    return linked_settings.model_copy(update={"object_store_url": (tmp_path / "objects").as_uri()})


@pytest.fixture
async def call(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    settings: ControlPlaneSettings,
    tmp_path: Path,
) -> AsyncIterator[RecordedCall]:
    """A call in progress whose agent records; the job queue is open."""
    with job_queue.replace_connector(worker_connector(settings.database_url)):
        async with job_queue.open_async():
            call = RecordedCall(tenant, worker, consumer, database, settings, tmp_path / "objects")
            await call.begin()
            yield call
