from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from redis.asyncio import Redis

from control_plane.calling.dialing import schedule as schedule_module
from control_plane.calling.dialing.schedule import Schedule, next_opening
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.calling.dialing.phone import DIALING, Phones, running_bridge
from tests.control_plane.linked import consumer, redis, worker
from tests.control_plane.linked import settings as linked_settings
from tests.stand_ins.simulated_carrier import SimulatedCarrier

__all__ = ["consumer", "linked_settings", "redis", "worker"]


@pytest.fixture
def settings(linked_settings: ControlPlaneSettings) -> ControlPlaneSettings:
    return linked_settings.model_copy(update={"dialing": DIALING})


@pytest.fixture
def carrier() -> SimulatedCarrier:
    return SimulatedCarrier()


@pytest.fixture
def computed_openings(monkeypatch: pytest.MonkeyPatch) -> list[Schedule]:
    """The schedule of each opening that ``Openings`` computes."""
    computed: list[Schedule] = []

    def computing(
        schedule: Schedule, zones: Sequence[ZoneInfo], earliest: datetime
    ) -> datetime | None:
        computed.append(schedule)
        return next_opening(schedule, zones, earliest)

    monkeypatch.setattr(schedule_module, "next_opening", computing)
    return computed


@pytest.fixture
def no_bridge(
    database: Database, redis: Redis, carrier: SimulatedCarrier, settings: ControlPlaneSettings
) -> Phones:
    """The control plane's side alone."""
    return Phones(database, redis, carrier, settings)


@pytest.fixture
async def phones(
    database: Database,
    redis: Redis,
    valkey_url: str,
    carrier: SimulatedCarrier,
    settings: ControlPlaneSettings,
) -> AsyncIterator[Phones]:
    async with running_bridge(valkey_url, carrier):
        yield Phones(database, redis, carrier, settings)
