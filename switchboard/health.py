"""``switchboard health NAME``: whether one process serves, for a container's health check."""

from __future__ import annotations

import contextlib

from switchboard.process import ProcessName
from switchboard.readiness import RedisReadiness, api_ready
from switchboard.settings import Settings


async def is_healthy(name: ProcessName, settings: Settings) -> bool:
    """Raises ``MissingSetting``."""
    if name is ProcessName.API:
        return await api_ready("127.0.0.1", settings.port)(0)
    async with contextlib.aclosing(RedisReadiness(settings.required_redis_url())) as seen:
        match name:
            case ProcessName.JOBS:
                return await seen.jobs(max_age_seconds=10)(0)
            case ProcessName.WORKER:
                return await seen.worker(settings.worker_id, max_age_seconds=10)(0)
            case ProcessName.BRIDGE:
                return await seen.bridge("local-1", max_age_seconds=10)(0)
