"""``GET /v1/operator/workers``: heartbeats and the queue, as the operator sees them."""

from __future__ import annotations

from redis.asyncio import Redis

from contracts import redis_names
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import create_call
from tests.control_plane.operator.conftest import OperatorClient
from tests.free_worker import WORKER_ID, note_free_worker

PATH = "/workers"


async def test_a_worker_is_listed_with_its_slots(
    operator: OperatorClient, valkey_url: str, redis: Redis
) -> None:
    note_free_worker(valkey_url, slots=12)
    [shown] = (await operator.ok("GET", PATH))["workers"]
    assert (shown["id"], shown["state"]) == (WORKER_ID, "ready")
    assert (shown["slots_total"], shown["slots_used"]) == (12, 0)
    assert shown["claims_nothing_because"] is None


async def test_a_worker_that_is_gone_is_not_listed(
    operator: OperatorClient, valkey_url: str, redis: Redis
) -> None:
    note_free_worker(valkey_url)
    await redis.delete(redis_names.worker_heartbeat(WORKER_ID))
    assert (await operator.ok("GET", PATH))["workers"] == []


async def test_calls_that_wait_are_counted_by_tenant(
    operator: OperatorClient, tenant: TenantClient, valkey_url: str
) -> None:
    note_free_worker(valkey_url)
    agent_id = await tenant.published_agent()
    # The first one's turn is at once: it waits on the stream, where any worker takes it.
    for _ in range(3):
        await create_call(tenant, agent_id)
    shown = await operator.ok("GET", PATH)
    assert shown["waiting"] == [{"tenant_id": str(tenant.tenant_id), "calls": 2}]
    assert shown["longest_wait_seconds"] >= 0
