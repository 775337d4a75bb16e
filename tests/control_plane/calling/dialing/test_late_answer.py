"""A phone that is answered long after its request, with a media worker in a process of its own.

No carrier brings audio yet, so the phone's media comes as WebRTC, as a browser's does.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest
from sqlalchemy import text

from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.realtime.access_token import RoomAccess
from control_plane.calling.realtime.errors import NoWorker
from control_plane.calling.realtime.signalling import join
from control_plane.platform.database import Database
from control_plane.platform.link.link import Link
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.calling.dialing.phone import Phones
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import catch_up
from tests.runtime.media.loopback_peer import LoopbackPeer
from tests.runtime.until import until

STOP_SECONDS = 20
LONGEST_GREETING_SECONDS = 30
AUDIBLE = 1_000
"""Of a 16-bit sample."""


@pytest.fixture
def worker_process(settings: ControlPlaneSettings, tmp_path: Path) -> Iterator[None]:
    environment = {
        "SWITCHBOARD_REDIS_URL": settings.redis_url,
        "SWITCHBOARD_ENCRYPTION_KEYS": ",".join(settings.encryption_keys),
        "SWITCHBOARD_DATA_DIR": str(tmp_path / "worker"),
        "SWITCHBOARD_WORKER_PROCESSES": "1",
    }
    with (tmp_path / "worker.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "switchboard", "worker"],
            stdout=log,
            stderr=log,
            env={**os.environ, **environment},
        )
    yield
    process.send_signal(signal.SIGINT)
    process.wait(STOP_SECONDS)


async def test_a_phone_answered_40_seconds_or_10_minutes_after_its_post_talks_to_its_agent(
    worker_process: None,
    tenant: TenantClient,
    phones: Phones,
    consumer: EventConsumer,
    database: Database,
    settings: ControlPlaneSettings,
) -> None:
    agent_id = await phones.agent(tenant)
    link = Link(settings.redis_url)
    for waited in (timedelta(seconds=40), timedelta(minutes=10)):
        call_id = await phones.queue(tenant, agent_id)
        participant_id = await begun_earlier(database, call_id, waited)
        await phones.until_answered(call_id)
        peer = LoopbackPeer(participant_id)
        access = RoomAccess(participant_id, call_id, tenant.tenant_id)
        await peer.accept(await joined(database, link, access, await peer.offer()))

        async def greeted(call_id: UUID = call_id) -> bool:
            await catch_up(consumer)
            said = (await tenant.get(f"/v1/calls/{call_id}/transcript")).json()
            return "agent" in [each["speaker"] for each in said.get("segments", ())]

        await until(greeted, LONGEST_GREETING_SECONDS)
        assert any(np.abs(heard.samples).max() > AUDIBLE for heard in peer.heard)
        assert (await tenant.get(f"/v1/calls/{call_id}")).json()["status"] == "in_progress"
        await peer.close()
    await link.aclose()


async def begun_earlier(database: Database, call_id: UUID, by: timedelta) -> UUID:
    """Date the call's request back; returns its participant."""
    async with database.system_session() as session:
        await session.execute(
            text(
                "UPDATE calls SET created_at = created_at - :by, plan = jsonb_set(plan,"
                " '{created_at}', to_jsonb((plan->>'created_at')::timestamptz - :by))"
                " WHERE id = :call_id"
            ),
            {"by": by, "call_id": call_id},
        )
        participant_id: UUID = await session.scalar(
            text("SELECT id FROM call_participants WHERE call_id = :call_id"), {"call_id": call_id}
        )
    return participant_id


async def joined(database: Database, link: Link, access: RoomAccess, offer: str) -> str:
    """The answer, as soon as the worker has its models loaded."""
    async with asyncio.timeout(LONGEST_GREETING_SECONDS):
        while True:
            try:
                return await join(database, link, access, offer)
            except NoWorker:
                continue
