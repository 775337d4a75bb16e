"""``/readyz`` knows what stands still."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection

import pytest
from redis.asyncio import Redis

from contracts.redis_names import EVENT_CONSUMERS
from control_plane.platform.job_roles import ALL_ROLES, TENANTS_ROLES, JobRole
from control_plane.platform.link.event_shards import LEASE_MS, server_time_ms
from control_plane.platform.link.job_beats import JOB_BEATS, SEEN_MS
from control_plane.platform.link.redis_client import connect
from tests.control_plane.conftest import TenantClient

SILENCE = "No jobs process applies the events of calls."


@pytest.fixture
async def redis(valkey_url: str) -> AsyncIterator[Redis]:
    client = connect(valkey_url)
    yield client
    await client.aclose()


async def warnings(tenant: TenantClient) -> list[str]:
    answer = await tenant.http.get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["status"] == "ready"
    found: list[str] = answer.json()["warnings"]
    return found


async def applied(redis: Redis, ago_ms: int = 0) -> None:
    await redis.zadd(EVENT_CONSUMERS, {"alive": await server_time_ms(redis) - ago_ms})


async def seen(redis: Redis, roles: Collection[JobRole], ago_ms: int = 0) -> None:
    seen_ms = await server_time_ms(redis) - ago_ms
    await redis.zadd(JOB_BEATS, {role.value: seen_ms for role in roles})


async def test_it_warns_while_no_process_applies_events(tenant: TenantClient, redis: Redis) -> None:
    await seen(redis, ALL_ROLES)
    assert await warnings(tenant) == [SILENCE]
    await applied(redis)
    assert await warnings(tenant) == []
    await applied(redis, ago_ms=LEASE_MS + 1_000)
    assert await warnings(tenant) == [SILENCE]


async def test_it_warns_while_no_process_for_tenants_jobs_lasts(
    tenant: TenantClient, redis: Redis
) -> None:
    await applied(redis)
    await seen(redis, ALL_ROLES - TENANTS_ROLES)
    missing = (
        "No jobs process does knowledge, notifying, post-call, recordings, "
        "or it ends again and again."
    )
    assert await warnings(tenant) == [missing]
    await seen(redis, TENANTS_ROLES)
    assert await warnings(tenant) == []
    await seen(redis, TENANTS_ROLES, ago_ms=SEEN_MS + 1_000)
    assert await warnings(tenant) == [missing]
