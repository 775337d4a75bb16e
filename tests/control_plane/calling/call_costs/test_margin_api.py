"""The operator's margin, with what providers really cost, by each of its groupings."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import httpx2
import pytest

from contracts.events import EventBody, UsageReported
from contracts.money import MICROS_PER_USD
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.calling.calls.ending.test_actual_cost_of_calls import (
    AGENT,
    HEARD,
    SPOKEN,
    THOUGHT,
    set_llm_price,
    set_price,
    use,
)
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.conversation import call_of, create_call
from tests.control_plane.fake_worker import FakeWorker
from tests.control_plane.linked import consumer, redis, worker

__all__ = ["consumer", "redis", "worker"]

WITHOUT_A_PRICE = UsageReported(
    channel="llm", provider="google", model="gemini-3.8-flash", input_tokens=10
)


@pytest.fixture
def settings(settings: ControlPlaneSettings) -> ControlPlaneSettings:
    """An installation with keys for the providers of ``AGENT``."""
    keys = frozenset({"openai", "google", "cartesia"})
    return settings.model_copy(update={"provider_keys": keys})


async def test_what_calls_really_cost_is_summed_by_tenant_agent_model_and_day(
    tenant: TenantClient,
    other_tenant: TenantClient,
    http: httpx2.AsyncClient,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    await set_llm_price(tenant, "openai/gpt-4o", 2_000_000)
    await set_price(tenant, "tts", "cartesia/sonic-3", thousand_characters=15_000)
    ours, theirs = [await each.published_agent(**AGENT) for each in (tenant, other_tenant)]

    async def revenue_of(caller: TenantClient, agent_id: UUID, *usage: EventBody) -> int:
        await create_call(caller, agent_id)
        plan = await worker.claim()
        assert plan is not None
        await use(worker, consumer, plan, *usage)
        return micros((await call_of(caller, plan))["total_cost"])

    our_revenue = await revenue_of(tenant, ours, HEARD, THOUGHT, SPOKEN)
    our_revenue += await revenue_of(tenant, ours, THOUGHT)
    their_revenue = await revenue_of(other_tenant, theirs, SPOKEN)
    their_revenue += await revenue_of(other_tenant, theirs, WITHOUT_A_PRICE)
    assert our_revenue == their_revenue > 0

    async def report(by: str) -> dict[str, Any]:
        answer = await http.get(f"/v1/operator/margin?by={by}", headers=OPERATOR)
        assert answer.status_code == 200, answer.text
        document: dict[str, Any] = answer.json()
        return document

    for by, (our_key, their_key) in (
        ("tenant", (tenant.tenant_id, other_tenant.tenant_id)),
        ("agent", (ours, theirs)),
    ):
        assert figures((await report(by))["groups"]) == {
            str(our_key): (our_revenue, 7_400, our_revenue - 7_400, 0),
            str(their_key): (their_revenue, 3_000, their_revenue - 3_000, 1),
        }

    revenue = our_revenue + their_revenue
    by_day = await report("day")
    today = datetime.now(UTC).date().isoformat()
    assert figures(by_day["groups"]) == {today: (revenue, 10_400, revenue - 10_400, 1)}
    assert figures([by_day["total"]]) == {"total": (revenue, 10_400, revenue - 10_400, 1)}

    by_model = figures((await report("model"))["groups"])
    assert {key: (actual, unknown) for key, (_, actual, _, unknown) in by_model.items()} == {
        "stt/local/moonshine-tiny-en": (0, 0),
        "llm/openai/gpt-4o": (4_400, 1),
        "tts/cartesia/sonic-3": (6_000, 0),
        "platform/switchboard/platform": (0, 0),
    }
    assert sum(of_model for of_model, *_ in by_model.values()) == revenue


def figures(groups: list[dict[str, Any]]) -> dict[str, tuple[int, int, int, int]]:
    """By key: revenue, actual cost and actual margin in micro-dollars, and calls of unknown
    cost."""
    return {
        group["key"]: (
            micros(group["revenue_usd"]),
            micros(group["actual_cost_usd"]),
            micros(group["actual_margin_usd"]),
            group["calls_of_unknown_cost"],
        )
        for group in groups
    }


def micros(usd: float) -> int:
    return round(usd * MICROS_PER_USD)
