"""A call that was handed over is billed at the rate of each agent, for as long as it talked."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from sqlalchemy import select

from contracts.call_plan import CallPlan
from contracts.end_reasons import EndReason
from contracts.events import CallMetered
from contracts.money import MICROS_PER_USD, charge_micros, usd
from control_plane.calling.calls import connected_time
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.calls.models import Call
from control_plane.money.billing import service as billing
from control_plane.money.billing.audits import repository as audit_repository
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.building.catalogue.costs import charge_for_the_playbook
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import balance_of, call_of, catch_up, create_call
from tests.control_plane.fake_worker import FakeWorker
from tests.control_plane.handoffs import hand_over, own_openai_key

pytestmark = pytest.mark.usefixtures("long_ago")


@pytest.fixture
def long_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the tests' calls have lasted some minutes."""
    tolerance = connected_time.CLOCK_TOLERANCE * 60
    monkeypatch.setattr(connected_time, "CLOCK_TOLERANCE", tolerance)


@pytest.fixture
async def plan(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    settings: ControlPlaneSettings,
) -> CallPlan:
    """A running call of a cheap agent, which can hand over to a dear one, which can hand back."""
    await own_openai_key(tenant, database, settings)
    await charge_for_the_playbook(database)
    cheap = await tenant.published_agent(name="Cheap", llm_provider="openai")
    dear = await tenant.published_agent(
        name="Dear", llm_provider="local", stt_provider="local", tts_provider="local"
    )
    await hand_over(tenant, dear, cheap)
    await hand_over(tenant, cheap, dear)
    await create_call(tenant, cheap)
    plan = await worker.claim()
    assert plan is not None
    await worker.start(plan)
    await catch_up(consumer)
    [other] = plan.handoffs
    assert plan.rate_micros_per_minute < other.rate_micros_per_minute
    return plan


def dear_of(plan: CallPlan) -> UUID:
    return plan.handoffs[0].agent_id


async def charge_of(tenant: TenantClient) -> dict[str, object]:
    found = (await tenant.get("/v1/billing/transactions")).json()["transactions"]
    [charge] = [entry for entry in found if entry["transaction_type"] == "charge"]
    return dict(charge)


async def test_each_agent_is_billed_for_its_own_time(
    plan: CallPlan,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
) -> None:
    cheap, dear = plan.rate_micros_per_minute, plan.handoffs[0].rate_micros_per_minute
    await worker.ship(
        plan,
        CallMetered(connected_ms=34_250, agent_id=dear_of(plan)),
        CallMetered(connected_ms=40_000),
        CallMetered(connected_ms=50_001, agent_id=plan.agent_id),
    )
    await worker.end(plan, 61_000)
    await catch_up(consumer)

    cheap_ms, dear_ms = 34_250 + (90_000 - 50_001), 50_001 - 34_250
    micros = -(-(cheap_ms * cheap + dear_ms * dear) // 60_000)
    call = await call_of(tenant, plan)
    assert (call["billable_seconds"], call["total_cost"]) == (90, usd(micros))
    messages = [event["message"] for event in call["events"]]
    [handed, back] = [event for event in call["events"] if event["message"].startswith("Handoff: ")]
    assert handed["source"] == "runtime"
    assert handed["message"] == (
        f"Handoff: Dear ({dear_of(plan)}) took over from Cheap ({plan.agent_id}) after 34.250 s "
        "of connected time"
    )
    assert "Cheap" in back["message"].partition(" took over")[0]
    assert (
        f"Charged ${usd(micros):.6f} for 90 seconds: 34.250 s of Cheap at ${usd(cheap):.6f} a "
        f"minute, 15.751 s of Dear at ${usd(dear):.6f} a minute, 39.999 s of Cheap at "
        f"${usd(cheap):.6f} a minute"
    ) in messages
    charge = await charge_of(tenant)
    assert charge["amount_usd"] == -usd(micros)
    billed = charge["metadata"]["agents"]  # type: ignore[index]
    assert [(each["agent_name"], each["from_ms"]) for each in billed] == [
        ("Cheap", 0),
        ("Dear", 34_250),
        ("Cheap", 50_001),
    ]
    assert [each["rate_micros_per_minute"] for each in billed] == [cheap, dear, cheap]
    async with database.system_session() as session:
        assert await audit_repository.unbalanced_accounts(session) == []


async def test_credit_is_held_at_the_rate_of_the_dearest_agent(
    plan: CallPlan, tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    dear = plan.handoffs[0].rate_micros_per_minute
    assert (await balance_of(tenant))["held_usd"] == usd(charge_micros(90, dear))
    await worker.meter(plan, 30_000)
    await catch_up(consumer)
    assert (await balance_of(tenant))["held_usd"] == usd(charge_micros(120, dear))


async def test_the_bill_of_a_call_that_its_worker_lost_knows_the_handoff(
    plan: CallPlan, tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    """As the worker's heir journals it: the last known position, without a word of the agents."""
    cheap, dear = plan.rate_micros_per_minute, plan.handoffs[0].rate_micros_per_minute
    await worker.ship(plan, CallMetered(connected_ms=10_000, agent_id=dear_of(plan)))
    await worker.end(plan, 15_000, EndReason.WORKER_ERROR)
    await catch_up(consumer)
    call = await call_of(tenant, plan)
    assert call["end_reason"] == "worker_error"
    assert call["total_cost"] == usd(-(-(10_000 * cheap + 20_000 * dear) // 60_000))


async def test_an_agent_that_is_not_in_the_plan_changes_no_bill(
    plan: CallPlan, tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    await worker.ship(plan, CallMetered(connected_ms=10_000, agent_id=uuid4()))
    await worker.end(plan, 15_000)
    await catch_up(consumer)
    call = await call_of(tenant, plan)
    assert call["total_cost"] == usd(charge_micros(30, plan.rate_micros_per_minute))


async def test_a_handoff_that_comes_after_the_end_changes_nothing(
    plan: CallPlan,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
) -> None:
    await worker.end(plan, 15_000)
    await catch_up(consumer)
    await worker.ship(plan, CallMetered(connected_ms=20_000, agent_id=dear_of(plan)))
    await catch_up(consumer)
    async with database.tenant_session(tenant.tenant_id) as session:
        takeovers = await session.scalar(select(Call.takeovers).where(Call.id == plan.call_id))
    assert takeovers is None
    call = await call_of(tenant, plan)
    assert call["total_cost"] == usd(charge_micros(30, plan.rate_micros_per_minute))


async def test_each_channels_cost_follows_the_agents(
    plan: CallPlan,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
) -> None:
    await worker.ship(plan, CallMetered(connected_ms=10_000, agent_id=dear_of(plan)))
    await worker.end(plan, 15_000)
    await catch_up(consumer)
    async with database.tenant_session(tenant.tenant_id) as session:
        cost = await session.scalar(
            select(Call.provider_cost_micros).where(Call.id == plan.call_id)
        )
    rates = [
        sum(row.micros_per_minute for row in agent.prices if row.component == "llm")
        for agent in plan.agents.values()
    ]
    assert cost is not None
    assert cost["llm"] == -(-(10_000 * rates[0] + 20_000 * rates[1]) // 60_000)
    assert cost["llm"] > 0


async def test_a_handoff_to_a_dearer_agent_overdraws_nothing(
    plan: CallPlan,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
) -> None:
    dear = plan.handoffs[0].rate_micros_per_minute
    left = charge_micros(120, dear) - 1
    balance = round((await balance_of(tenant))["balance_usd"] * MICROS_PER_USD)
    async with database.system_session() as session:
        await billing.adjust(
            session,
            tenant.tenant_id,
            "debit",
            left - balance,
            "Taken back",
            reference="test",
            details={},
        )
    await worker.ship(plan, CallMetered(connected_ms=1_000, agent_id=dear_of(plan)))
    await worker.meter(plan, 60_000)
    # A worker that does not count its funds.
    await worker.end(plan, 119_000)
    await catch_up(consumer)
    told = (await worker.told_of_funds())[-1]
    assert (told.funded_until_ms, told.balance_is_spent) == (90_000, True)
    call = await call_of(tenant, plan)
    cheap = plan.rate_micros_per_minute
    assert call["total_cost"] == usd(-(-(1_000 * cheap + 119_000 * dear) // 60_000))
    assert 0 <= (await balance_of(tenant))["balance_usd"] < usd(charge_micros(30, dear))
    async with database.system_session() as session:
        assert await audit_repository.unbalanced_accounts(session) == []
