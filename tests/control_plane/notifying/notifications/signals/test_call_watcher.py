"""What is told after calls."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID, uuid4

from contracts.end_reasons import EndReason
from contracts.events import CallMetered, EventBody, Logged, ToolCalled, UsageReported
from contracts.money import MICROS_PER_USD
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.money.billing import notices
from control_plane.money.billing import repository as accounts
from control_plane.money.billing import service as billing
from control_plane.money.spend_alerts import repository as alerts
from control_plane.money.spend_alerts.rules import AlertSettings
from control_plane.notifying.notifications.fact_consumer import NotificationWriter
from control_plane.notifying.notifications.signals.call_watcher import CallWatcher
from control_plane.platform.database import Database
from control_plane.platform.outbox.models import OutboxEvent
from control_plane.platform.outbox.reader import OutboxReader
from pipelines.engine.channels.reports import ChannelSwitch
from runtime.call.channel_reports import CallChannelReports
from tests.control_plane.calling.dialing.phone import paid_by
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import balance_of, catch_up, create_call
from tests.control_plane.fake_worker import FakeWorker
from tests.control_plane.handoffs import hand_over

ABOUT_CALLS = ("call.first_call", "agent.degraded", "billing.low_balance")


async def told(database: Database, tenant: TenantClient) -> list[str]:
    """The categories that were told, oldest first, after reading everything."""
    reader = OutboxReader(database, [CallWatcher(), NotificationWriter(["in_app"])])
    while await reader.read():
        pass
    found = (await tenant.get("/v1/notifications?limit=200")).json()["data"]
    categories = [entry["event_category"] for entry in reversed(found)]
    return [category for category in categories if category in ABOUT_CALLS]


async def one_call(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    agent_id: UUID,
    reason: EndReason = EndReason.PARTICIPANT_DISCONNECTED,
    facts: Sequence[EventBody] = (),
) -> None:
    await create_call(tenant, agent_id)
    plan = await worker.claim()
    assert plan is not None
    await worker.start(plan)
    await worker.ship(plan, *facts)
    await catch_up(consumer)
    await worker.end(plan, 30_000, reason)
    await catch_up(consumer)
    if reason is EndReason.PARTICIPANT_DISCONNECTED:
        # As the call's analysis does, which does not run here.
        data = {"call_id": str(plan.call_id), "agent_id": str(agent_id)}
        async with database.system_session() as session:
            session.add(OutboxEvent(tenant_id=tenant.tenant_id, event="call.completed", data=data))


async def test_the_first_completed_call_is_told_once(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    agent_id = await tenant.published_agent()
    for _ in range(2):
        await one_call(tenant, worker, consumer, database, agent_id)
        assert (await told(database, tenant)).count("call.first_call") == 1


async def test_a_tenant_with_earlier_calls_is_told_of_no_first_one(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    agent_id = await tenant.published_agent()
    await one_call(tenant, worker, consumer, database, agent_id)
    while await OutboxReader(database, []).read():
        pass  # By a release that told no first calls.
    await one_call(tenant, worker, consumer, database, agent_id)
    assert "call.first_call" not in await told(database, tenant)


async def test_the_first_call_is_told_once_also_if_the_next_one_is_over_before_that(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    agent_id = await tenant.published_agent()
    for _ in range(2):
        await one_call(tenant, worker, consumer, database, agent_id)
    assert (await told(database, tenant)).count("call.first_call") == 1


async def test_a_low_balance_is_told_once_until_it_was_better(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    agent_id = await tenant.published_agent()
    low = []
    for dollars in (100, -99, 0, 100, -99):
        balance = (await balance_of(tenant))["balance_usd"]
        if dollars:
            await _post(database, tenant, 100 - balance if dollars > 0 else 1 - balance)
        await one_call(tenant, worker, consumer, database, agent_id)
        low.append((await told(database, tenant)).count("billing.low_balance"))
    assert low == [0, 1, 1, 1, 2]


async def test_top_ups_do_not_count_while_calls_may_not_use_them(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    agent_id = await tenant.published_agent()
    async with database.system_session() as session:
        await billing.grant(
            session, tenant.tenant_id, 100 * MICROS_PER_USD, "Paid", bucket="purchased"
        )
        await accounts.set_extra_usage(session, tenant.tenant_id, False)
    free = (await balance_of(tenant))["free_credits"] / 100
    await _post(database, tenant, 1 - free)
    await one_call(tenant, worker, consumer, database, agent_id)
    assert (await told(database, tenant)).count("billing.low_balance") == 1


async def test_a_low_balance_is_measured_against_the_last_top_up_and_told_again_when_critical(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    agent_id = await tenant.published_agent()
    async with database.system_session() as session:
        notices.tell_top_up(session, tenant.tenant_id, 100 * MICROS_PER_USD, transaction_id=uuid4())
        await alerts.save_settings(session, tenant.tenant_id, AlertSettings(low_balance_pct=20))
    low = []
    for dollars in (25, 15, 14, 0.2, 0.15, 25, 15):
        balance = (await balance_of(tenant))["balance_usd"]
        await _post(database, tenant, dollars - balance)
        async with database.system_session() as session:
            data = {"call_id": str(uuid4()), "agent_id": str(agent_id)}
            session.add(OutboxEvent(tenant_id=tenant.tenant_id, event="call.failed", data=data))
        low.append((await told(database, tenant)).count("billing.low_balance"))
    assert low == [0, 1, 1, 2, 2, 2, 3]


async def _post(database: Database, tenant: TenantClient, dollars: float) -> None:
    async with database.system_session() as session:
        await billing.adjust(
            session,
            tenant.tenant_id,
            "correction",
            round(dollars * MICROS_PER_USD),
            "For the test",
            reference=uuid4().hex,
            details={},
        )


async def test_an_agent_whose_calls_fail_is_degraded_and_told_once_an_hour(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    failing, fine = await tenant.published_agent(), await tenant.published_agent()
    for _ in range(5):
        await one_call(tenant, worker, consumer, database, fine)
    assert "agent.degraded" not in await told(database, tenant)
    for _ in range(6):
        await one_call(tenant, worker, consumer, database, failing, EndReason.SESSION_ERROR)
        await told(database, tenant)
    assert (await told(database, tenant)).count("agent.degraded") == 1


def switch_facts(why: str = "401") -> list[EventBody]:
    """What a worker journals when one model takes over from another."""
    facts: list[EventBody] = []
    reports = CallChannelReports(facts.append, lambda failure: None)
    reports.switched(ChannelSwitch("llm", "openai/gpt-4o", "local/playbook", why, lost_ms=12))
    return facts


async def test_an_agent_whose_provider_always_refuses_is_degraded(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    agent_id = await tenant.published_agent()
    # What refuses has used nothing.
    used = UsageReported(channel="llm", provider="local", model="playbook", output_tokens=5)
    for _ in range(5):
        assert "agent.degraded" not in await told(database, tenant)
        facts = [*switch_facts(), used]
        await one_call(tenant, worker, consumer, database, agent_id, facts=facts)
    assert (await told(database, tenant)).count("agent.degraded") == 1
    found = (await tenant.get("/v1/notifications?limit=200")).json()["data"]
    [notice] = [entry for entry in found if entry["event_category"] == "agent.degraded"]
    assert notice["metadata"] == {
        "agent_id": str(agent_id),
        "calls": 5,
        "failed": 0,
        "switched": 5,
    }


async def test_handoffs_and_other_warnings_are_no_switch(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    agent_id, other = await tenant.published_agent(), await tenant.published_agent()
    await hand_over(tenant, agent_id, other)
    facts: list[EventBody] = [
        UsageReported(channel="llm", provider="openai", model="gpt-4o", output_tokens=5),
        CallMetered(connected_ms=1_000, agent_id=other),
        UsageReported(channel="llm", provider="local", model="playbook", output_tokens=5),
        Logged(level="warning", message="llm: somebody took over from nobody after 0 ms: because"),
        ToolCalled(name="look_up", output="took over from", is_error=True),
    ]
    for _ in range(5):
        await one_call(tenant, worker, consumer, database, agent_id, facts=facts)
    assert "agent.degraded" not in await told(database, tenant)


async def test_why_a_model_failed_may_hold_what_no_column_can(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    agent_id = await tenant.published_agent()
    for _ in range(5):
        facts = switch_facts(why="garbage: \x00")
        await one_call(tenant, worker, consumer, database, agent_id, facts=facts)
    assert "agent.degraded" in await told(database, tenant)


async def test_who_pays_for_another_tenants_call_is_told_of_the_own_balance(
    tenant: TenantClient,
    other_tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
) -> None:
    agent_id = await tenant.published_agent()
    await create_call(tenant, agent_id)
    plan = await worker.claim()
    assert plan is not None
    await paid_by(database, str(plan.call_id), other_tenant)
    async with database.system_session() as session:
        account = await accounts.locked_account(session, other_tenant.tenant_id)
        await billing.adjust(
            session,
            other_tenant.tenant_id,
            "correction",
            100_000 - account.buckets.total_micros,
            "For the test",
            reference="test:nearly-empty",
            details={},
        )
        data = {"call_id": str(plan.call_id), "agent_id": str(agent_id)}
        session.add(OutboxEvent(tenant_id=tenant.tenant_id, event="call.completed", data=data))
    assert await told(database, other_tenant) == ["billing.low_balance"]
    assert "billing.low_balance" not in await told(database, tenant)
