"""``/readyz`` knows what stands still."""

from __future__ import annotations

from contracts.redis_names import EVENT_CONSUMERS
from control_plane.platform.link.event_shards import LEASE_MS, server_time_ms
from control_plane.platform.link.redis_client import connect
from tests.control_plane.conftest import TenantClient


async def test_it_warns_while_no_process_applies_events(
    tenant: TenantClient, valkey_url: str
) -> None:
    async def warnings() -> list[str]:
        answer = await tenant.http.get("/readyz")
        assert answer.status_code == 200
        assert answer.json()["status"] == "ready"
        found: list[str] = answer.json()["warnings"]
        return found

    silence = ["No jobs process applies the events of calls."]
    assert await warnings() == silence
    redis = connect(valkey_url)
    now_ms = await server_time_ms(redis)
    await redis.zadd(EVENT_CONSUMERS, {"alive": now_ms})
    assert await warnings() == []
    await redis.zadd(EVENT_CONSUMERS, {"alive": now_ms - LEASE_MS - 1_000})
    assert await warnings() == silence
    await redis.aclose()
