"""The actual cost of calls: frozen when they are created, shown when they are over."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select, text

from contracts.call_plan import CallPlan
from contracts.events import EventBody, UsageReported
from control_plane.building.provider_keys.models import ProviderKey
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.calls.models import Call
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.conversation import balance_of, call_of, catch_up, create_call
from tests.control_plane.fake_worker import FakeWorker

AGENT = {
    "llm_provider": "openai",
    "llm_model": "gpt-4o",
    "llm_fallback_provider": "google",
    "llm_fallback_model": "gemini-3.8-flash",
    "stt_provider": "local",
    "tts_provider": "cartesia",
    "tts_model": "sonic-3",
}
HEARD = UsageReported(channel="stt", provider="local", model="moonshine-tiny-en", audio_ms=30_000)
THOUGHT = UsageReported(
    channel="llm", provider="openai", model="gpt-4o", input_tokens=1_000, output_tokens=100
)
SPOKEN = UsageReported(channel="tts", provider="cartesia", model="sonic-3", characters=200)


@pytest.fixture
def settings(settings: ControlPlaneSettings) -> ControlPlaneSettings:
    """An installation with keys for the providers of ``AGENT``."""
    keys = frozenset({"openai", "google", "cartesia"})
    return settings.model_copy(update={"provider_keys": keys})


async def set_price(
    tenant: TenantClient, channel: str, name: str, **micros_per: int
) -> dict[str, Any]:
    provider, _, model = name.partition("/")
    answer = await tenant.http.post(
        "/v1/operator/catalogue/unit-prices",
        headers=OPERATOR,
        json={
            "channel": channel,
            "provider": provider,
            "model": model,
            "micros_per": micros_per,
        },
    )
    assert answer.status_code == 201, answer.text
    added: dict[str, Any] = answer.json()["unit_price"]
    return added


async def set_llm_price(tenant: TenantClient, name: str, micros: int) -> dict[str, Any]:
    """The same for a million tokens of input and of output."""
    return await set_price(
        tenant, "llm", name, million_input_tokens=micros, million_output_tokens=micros
    )


async def claim(tenant: TenantClient, worker: FakeWorker, **fields: Any) -> CallPlan:
    await create_call(tenant, await tenant.published_agent(**AGENT | fields))
    plan = await worker.claim()
    assert plan is not None
    return plan


async def use(
    worker: FakeWorker, consumer: EventConsumer, plan: CallPlan, *usage: EventBody
) -> None:
    """A whole call in which the models did this."""
    await worker.start(plan)
    await worker.ship(plan, *usage)
    await worker.end(plan, connected_ms=30_000)
    await catch_up(consumer)


async def actual(tenant: TenantClient, plan: CallPlan) -> tuple[float | None, dict[str, Any]]:
    call = await call_of(tenant, plan)
    return call["provider_cost_actual"], call["provider_cost_actual_breakdown"]


async def test_a_call_shows_what_its_models_cost_beside_what_is_charged(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    row = await set_llm_price(tenant, "openai/gpt-4o", 2_000_000)
    await set_price(tenant, "tts", "cartesia/sonic-3", thousand_characters=15_000)
    plan = await claim(tenant, worker)
    assert [str(price.price_id) for price in plan.unit_prices if price.channel == "llm"] == [
        row["id"]
    ]
    running = await call_of(tenant, plan)
    assert running["provider_cost_actual"] is running["provider_cost_actual_breakdown"] is None

    await use(worker, consumer, plan, HEARD, THOUGHT, SPOKEN)
    assert await actual(tenant, plan) == (0.0052, {"llm": 0.0022, "stt": 0, "tts": 0.003})
    call = await call_of(tenant, plan)
    assert call["provider_cost"] == round(sum(call["provider_cost_breakdown"].values()), 6)
    assert call["provider_cost"] != call["provider_cost_actual"]
    [listed] = (await tenant.get("/v1/calls")).json()["calls"]
    for name in ("provider_cost_actual", "provider_cost_actual_breakdown"):
        assert listed[name] == call[name]


async def test_a_later_price_changes_no_call_that_exists(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    await set_llm_price(tenant, "openai/gpt-4o", 2_000_000)
    plan = await claim(tenant, worker)
    await set_llm_price(tenant, "openai/gpt-4o", 9_000_000)
    await use(worker, consumer, plan, THOUGHT)
    assert await actual(tenant, plan) == (0.0022, {"llm": 0.0022, "stt": 0, "tts": 0})
    later = await claim(tenant, worker)
    await use(worker, consumer, later, THOUGHT)
    assert (await actual(tenant, later))[0] == 0.0099


async def test_a_fallback_that_answered_counts_at_its_own_price(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    await set_llm_price(tenant, "openai/gpt-4o", 2_000_000)
    await set_llm_price(tenant, "google/gemini-3.8-flash", 1_000_000)
    plan = await claim(tenant, worker)
    stood_in = THOUGHT.model_copy(update={"provider": "google", "model": "gemini-3.8-flash"})
    await use(worker, consumer, plan, THOUGHT, stood_in)
    assert (await actual(tenant, plan))[1]["llm"] == 0.0033


async def test_a_channel_without_a_unit_price_is_unknown_and_so_is_the_whole(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    await set_llm_price(tenant, "openai/gpt-4o", 2_000_000)
    plan = await claim(tenant, worker)
    await use(worker, consumer, plan, HEARD, THOUGHT, SPOKEN)
    assert await actual(tenant, plan) == (None, {"llm": 0.0022, "stt": 0, "tts": None})
    [listed] = (await tenant.get("/v1/calls")).json()["calls"]
    assert listed["provider_cost_actual"] is None
    assert listed["provider_cost_actual_breakdown"] == {"llm": 0.0022, "stt": 0, "tts": None}


async def test_a_nonsensical_report_breaks_no_list(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    await set_llm_price(tenant, "openai/gpt-4o", 2_000_000)
    plan = await claim(tenant, worker)
    await use(worker, consumer, plan, THOUGHT.model_copy(update={"input_tokens": 10**400}))
    assert (await actual(tenant, plan))[1]["llm"] is None
    [listed] = (await tenant.get("/v1/calls")).json()["calls"]
    assert listed["provider_cost_actual"] is None


async def test_a_call_that_never_connected_cost_nothing(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    plan = await claim(tenant, worker)
    await worker.end(plan, connected_ms=None)
    await catch_up(consumer)
    assert await actual(tenant, plan) == (0, {"llm": 0, "stt": 0, "tts": 0})


async def test_an_own_key_costs_the_installation_nothing(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    settings: ControlPlaneSettings,
) -> None:
    await set_llm_price(tenant, "openai/gpt-4o", 2_000_000)
    async with database.system_session() as session:
        session.add(
            ProviderKey(
                tenant_id=tenant.tenant_id,
                provider="openai",
                sealed_key=settings.sealer.seal("sk-of-the-tenant"),
                last_four="nant",
            )
        )
    plan = await claim(tenant, worker)
    assert (plan.stack.llm.primary.key_source, plan.unit_prices) == ("own", ())
    await use(worker, consumer, plan, THOUGHT)
    assert await actual(tenant, plan) == (0, {"llm": 0, "stt": 0, "tts": 0})


async def test_a_managed_agents_models_are_counted_too(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    await set_llm_price(tenant, "openai/gpt-4o", 2_000_000)
    sku = {
        "id": "mixed",
        "label": "Mixed",
        "best_for": "Tests",
        "description": "Thinks elsewhere.",
        "stt": {"provider": "local", "model": "moonshine-tiny-en"},
        "llm": {"provider": "openai", "model": "gpt-4o"},
        "tts": {"provider": "local", "model": "hibari-en"},
        "voice": "hibari",
        "supported_languages": ["en-US"],
    }
    saved = await tenant.http.put("/v1/operator/catalogue/skus", headers=OPERATOR, json=sku)
    assert saved.status_code == 200, saved.text
    agent = await tenant.published_agent(agent_kind="managed", managed_sku_id="mixed")
    await create_call(tenant, agent)
    plan = await worker.claim()
    assert plan is not None
    await use(worker, consumer, plan, THOUGHT)
    call = await call_of(tenant, plan)
    assert (call["provider_cost"], call["provider_cost_actual"]) == (0, 0.0022)


async def test_usage_that_arrives_after_the_end_is_counted_and_changes_no_bill(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    await set_llm_price(tenant, "openai/gpt-4o", 2_000_000)
    plan = await claim(tenant, worker)
    await worker.start(plan)
    await catch_up(consumer)
    await worker.drop_lease(plan.call_id)
    assert (await tenant.post(f"/v1/calls/{plan.call_id}/end")).status_code == 200
    assert (await actual(tenant, plan))[0] == 0
    ended, balance = await call_of(tenant, plan), await balance_of(tenant)

    await worker.ship(plan, THOUGHT)
    await catch_up(consumer)
    assert (await actual(tenant, plan))[0] == 0.0022
    more = THOUGHT.model_copy(update={"input_tokens": 2_000})
    await worker.ship(plan, more)
    await catch_up(consumer)
    call = await call_of(tenant, plan)
    assert call["provider_cost_actual"] == 0.0042
    for name in ("total_cost", "provider_cost", "provider_cost_calculated_at", "billable_seconds"):
        assert call[name] == ended[name]
    assert await balance_of(tenant) == balance


async def test_a_call_of_an_earlier_release_shows_that_nothing_is_known(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    plan = await claim(tenant, worker)
    await use(worker, consumer, plan, THOUGHT)
    async with database.system_session() as session:
        await session.execute(text("UPDATE calls SET provider_cost_actual_micros = NULL"))
    call = await call_of(tenant, plan)
    assert call["provider_cost_actual"] is call["provider_cost_actual_breakdown"] is None
    assert call["provider_cost"] > 0


async def test_a_plan_without_unit_prices_is_written_as_earlier_releases_wrote_it(
    tenant: TenantClient, database: Database
) -> None:
    async def stored() -> Any:
        call = await create_call(tenant, await tenant.published_agent(**AGENT))
        async with database.tenant_session(tenant.tenant_id) as session:
            return await session.scalar(select(Call.plan).where(Call.id == UUID(call["id"])))

    assert "unit_prices" not in await stored()
    await set_llm_price(tenant, "openai/gpt-4o", 2_000_000)
    [frozen] = (await stored())["unit_prices"]
    assert frozen["micros_per"] == {
        "million_input_tokens": 2_000_000,
        "million_output_tokens": 2_000_000,
    }
