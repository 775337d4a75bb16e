"""A call whose worker records it, as far as the control plane sees."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import numpy as np
from sqlalchemy import text

from contracts.call_plan import CallPlan
from contracts.events import RecordingStarted, RecordingStopped
from contracts.recording import part_path, recording_folder
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.platform.database import Database
from control_plane.platform.job_queue import RECORDINGS_QUEUE, job_queue, job_resources
from control_plane.platform.settings import ControlPlaneSettings
from runtime.recording.part_cutter import Part
from runtime.recording.part_encoder import PartEncoder
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import CALLER, catch_up
from tests.control_plane.fake_worker import FakeWorker

RECORDS = {"features": {"recording_enabled": True}}


def flac(frames: int, caller: int = 1000, agent: int = 2000) -> bytes:
    """A part of ``frames`` times 20 ms, each side at one level."""
    people = [np.full(960, caller, np.int16)] * frames
    voice = [np.full(480, agent, np.int16)] * frames
    return PartEncoder().encode(Part(0, list(people), list(voice)))


class RecordedCall:
    def __init__(
        self,
        tenant: TenantClient,
        worker: FakeWorker,
        consumer: EventConsumer,
        database: Database,
        settings: ControlPlaneSettings,
        objects: Path,
    ) -> None:
        self.tenant = tenant
        self.worker = worker
        self.consumer = consumer
        self.database = database
        self.settings = settings
        self.objects = objects
        self.recording_id = uuid4()
        self.plan: CallPlan

    async def begin(self, agent_id: UUID | None = None) -> None:
        """With an agent that records; a new one, if none is given."""
        agent_id = agent_id or await self.tenant.published_agent(**RECORDS)
        body = {"agent_id": str(agent_id), "participants": [CALLER]}
        answer = await self.tenant.post("/v1/calls", body)
        assert answer.status_code == 201, answer.text
        plan = await self.worker.claim()
        assert plan is not None
        self.plan = plan
        await self.worker.start(plan)
        await catch_up(self.consumer)

    @property
    def call_id(self) -> UUID:
        return self.plan.call_id

    @property
    def folder(self) -> str:
        return recording_folder(self.plan.tenant_id, self.call_id, self.recording_id)

    def store(self, starts_at_ms: int, content: bytes) -> None:
        """What a worker does with a part."""
        path = self.objects / part_path(self.folder, starts_at_ms)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    @property
    def parts(self) -> list[Path]:
        return sorted(self.objects.glob("**/*.flac"))

    async def start_recording(self) -> None:
        await self.worker.ship(self.plan, RecordingStarted(recording_id=self.recording_id))
        await catch_up(self.consumer)

    async def stop_recording(self, duration_ms: int, detail: str | None = None) -> None:
        stopped = RecordingStopped(
            recording_id=self.recording_id, duration_ms=duration_ms, detail=detail
        )
        await self.worker.ship(self.plan, stopped)
        await catch_up(self.consumer)

    async def refuse_recording(self) -> None:
        """What a worker reports when a caller does not agree."""
        stopped = RecordingStopped(recording_id=self.recording_id, duration_ms=1000, refused=True)
        await self.worker.ship(self.plan, stopped)
        await catch_up(self.consumer)

    async def end(self, connected_ms: int = 1000) -> None:
        await self.worker.end(self.plan, connected_ms)
        await catch_up(self.consumer)

    async def run_jobs(self) -> None:
        """Those of recordings that are due."""
        await job_queue.run_worker_async(
            queues=[RECORDINGS_QUEUE],
            wait=False,
            install_signal_handlers=False,
            additional_context=job_resources(self.database, self.settings),
        )

    async def make_jobs_due(self) -> None:
        async with self.database.system_session() as session:
            await session.execute(
                text(
                    "UPDATE procrastinate_jobs SET scheduled_at = now() - interval '1 second' "
                    "WHERE status = 'todo' AND queue_name = :queue"
                ),
                {"queue": RECORDINGS_QUEUE},
            )

    async def completed(self, parts: Sequence[bytes] = ()) -> dict[str, Any]:
        """Record, end the call and make the files; returns the recording."""
        await self.start_recording()
        for number, part in enumerate(parts or [flac(50)]):
            self.store(number * 1000, part)
        await self.stop_recording(1000)
        await self.end()
        await self.run_jobs()
        shown = await self.recording()
        assert shown["status"] == "completed"
        return shown

    async def recording(self) -> dict[str, Any]:
        answer = await self.tenant.get(f"/v1/calls/{self.call_id}/recording")
        assert answer.status_code == 200, answer.text
        document = answer.json()
        assert document["call_id"] == str(self.call_id)
        shown: dict[str, Any] = document["recording"]
        return shown

    def lose_store(self) -> None:
        """A file stands where the store's folder was."""
        if self.objects.exists():
            self.objects.rename(self.objects.with_name("objects-away"))
        self.objects.write_text("not a folder")

    def return_store(self) -> None:
        self.objects.unlink()
        away = self.objects.with_name("objects-away")
        if away.exists():
            shutil.move(away, self.objects)
