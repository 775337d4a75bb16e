"""Phones that are added to a call are on its bill for as long as they were in it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from contracts.call_plan import CallPlan, PlannedAgent, PriceRow
from contracts.call_status import ParticipantStatus
from contracts.commands import EndCall
from contracts.end_reasons import EndReason
from contracts.events import KeysPressed, LegLeft, Logged
from contracts.money import MICROS_PER_USD, charge_micros, usd
from control_plane.calling.calls import repository as calls
from control_plane.calling.calls.ending.added_phones import AddedPhone, served_with_phones
from control_plane.calling.calls.ending.bill import billed, telecom_micros
from control_plane.calling.calls.ending.call_end import end_call
from control_plane.calling.calls.ending.served_agents import ServedAgent, tariff_of
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.calls.events.presence import join, leave
from control_plane.calling.dialing.attempts import reserve_for_attempt
from control_plane.calling.dialing.picking import pick_due
from control_plane.calling.dialing.repository import added_rates_micros_per_minute
from control_plane.money.billing import service as billing
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings, DialingSettings
from tests.control_plane.calling.telecom.test_phone_limits_and_prices import (
    CALLEE,
    agent_id,
    limit,
    price,
)
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import balance_of, catch_up, running_call
from tests.control_plane.fake_worker import FakeWorker
from tests.control_plane.owned_books import change_books

__all__ = ["agent_id"]
DESK_RATE, PHONE_RATE = 60_000, 12_000


def row(component: str, rate: int) -> PriceRow:
    return PriceRow.model_validate(
        {
            "price_id": uuid4(),
            "component": component,
            "provider": "p",
            "model": "m",
            "micros_per_minute": rate,
        }
    )


def desk() -> PlannedAgent:
    # Only its prices count here.
    return PlannedAgent.model_construct(agent_id=uuid4(), prices=(row("llm", DESK_RATE),))


def test_a_phone_is_billed_from_when_it_came_until_it_went() -> None:
    phone = AddedPhone(row("telecom", PHONE_RATE), 10_000, 40_000)
    served = served_with_phones([ServedAgent(desk(), 0)], [phone])
    assert [from_ms for _, from_ms in served] == [0, 10_000, 40_000]
    charge = tariff_of(served).charge_micros(60)
    assert charge == DESK_RATE + PHONE_RATE // 2
    assert telecom_micros(billed(served, 60, charge)) == PHONE_RATE // 2


def test_a_phone_that_stays_is_billed_to_the_last_increment() -> None:
    phone = AddedPhone(row("telecom", PHONE_RATE), 30_000, None)
    served = served_with_phones([ServedAgent(desk(), 0)], [phone])
    assert tariff_of(served).charge_micros(90) == DESK_RATE * 3 // 2 + PHONE_RATE


def test_a_phone_stays_on_the_bill_when_another_agent_takes_over() -> None:
    first, second = desk(), desk()
    phone = AddedPhone(row("telecom", PHONE_RATE), 0, None)
    agents = [ServedAgent(first, 0), ServedAgent(second, 30_000)]
    served = served_with_phones(agents, [phone])
    assert [(each.agent_id, from_ms) for each, from_ms in served] == [
        (first.agent_id, 0),
        (second.agent_id, 30_000),
    ]
    assert all(each.rate_micros_per_minute == DESK_RATE + PHONE_RATE for each, _ in served)


def test_a_call_without_added_phones_is_billed_as_before() -> None:
    served = (ServedAgent(desk(), 0),)
    assert served_with_phones(served, []) == served


async def _with_added_phone(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> tuple[CallPlan, UUID]:
    """It waits to be dialed."""
    await price(tenant, "+1", 0.3)
    plan = await running_call(tenant, worker, consumer)
    answer = await tenant.post(
        f"/v1/calls/{plan.call_id}/participants",
        {"participants": [{"transport": "pstn", "identity": CALLEE}]},
    )
    assert answer.status_code == 202, answer.text
    return plan, UUID(answer.json()["participants"][0]["id"])


async def _dial(tenant: TenantClient, database: Database, dialing: DialingSettings) -> bool:
    """The scheduler's part, without a bridge. Returns whether the phone may be dialed."""
    now = datetime.now(UTC)
    async with database.system_session() as session:
        (request,) = (await pick_due(session, tenant.tenant_id, dialing, now)).requests
    async with database.system_session() as session:
        return await reserve_for_attempt(session, request, now) is None


async def _leave_credit(tenant: TenantClient, database: Database, micros: int) -> None:
    too_much = round((await balance_of(tenant))["balance_usd"] * MICROS_PER_USD) - micros
    async with database.system_session() as session:
        await billing.adjust(
            session, tenant.tenant_id, "debit", -too_much, "Refund", reference="r", details={}
        )


async def test_an_added_phones_minutes_are_charged_and_stand_on_the_bill(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    settings: ControlPlaneSettings,
    agent_id: UUID,
) -> None:
    plan, phone_id = await _with_added_phone(tenant, worker, consumer)
    assert await _dial(tenant, database, settings.dialing)
    async with database.system_session() as session:
        call = await calls.locked_call(session, tenant.tenant_id, plan.call_id)
        assert call is not None
        assert call.started_at is not None
        assert await added_rates_micros_per_minute(session, [call.id]) == {call.id: 300_000}
        began = call.started_at = call.started_at - timedelta(minutes=5)
        call.created_at -= timedelta(minutes=6)
        phone = await calls.participant(session, tenant.tenant_id, plan.call_id, phone_id)
        assert phone is not None
        phone.status = ParticipantStatus.CONNECTED.value
        phone.joined_at, phone.left_at = began + timedelta(seconds=20), _later(began, 50)
        await session.flush()
        await end_call(session, call, EndReason.NORMAL_HANGUP, 60_000, _later(began, 60))
    bill = (await tenant.get(f"/v1/calls/{plan.call_id}/bill")).json()
    rows = [each for agent in bill["agents"] for each in agent["prices"]]
    assert [each["cost"] for each in rows if each["component"] == "telecom"] == [0.15]
    assert bill["phone_cost"] == 0.15
    fee = plan.rate_micros_per_minute / 1_000_000
    assert bill["total_cost"] == round(fee + 0.15, 6)
    shown = (await tenant.get(f"/v1/calls/{plan.call_id}")).json()
    assert shown["telecom_cost"] == bill["telecom_cost"]
    assert round(shown["telecom_cost"] + shown["provider_cost"], 6) == shown["total_cost"]
    listed = (await tenant.get("/v1/calls")).json()["calls"][0]
    assert listed["telecom_cost"] == shown["telecom_cost"]


def _later(at: datetime, seconds: int) -> datetime:
    return at + timedelta(seconds=seconds)


async def test_a_phone_that_connects_again_is_billed_from_when_it_first_joined(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    agent_id: UUID,
) -> None:
    plan, phone_id = await _with_added_phone(tenant, worker, consumer)
    async with database.system_session() as session:
        call = await calls.locked_call(session, tenant.tenant_id, plan.call_id)
        assert call is not None
        assert call.started_at is not None
        began = call.started_at = call.started_at - timedelta(minutes=5)
        call.created_at -= timedelta(minutes=6)
        phone = await calls.participant(session, tenant.tenant_id, plan.call_id, phone_id)
        join(session, call, phone, _later(began, 20))
        leave(
            session,
            call,
            phone,
            LegLeft(participant_id=phone_id, cause="connection_lost"),
            _later(began, 30),
        )
        join(session, call, phone, _later(began, 49))
        leave(
            session, call, phone, LegLeft(participant_id=phone_id, cause="left"), _later(began, 50)
        )
        await session.flush()
        await end_call(session, call, EndReason.NORMAL_HANGUP, 60_000, _later(began, 60))
    bill = (await tenant.get(f"/v1/calls/{plan.call_id}/bill")).json()
    assert bill["phone_cost"] == 0.15


async def test_a_phone_that_leaves_with_the_call_is_billed_to_its_last_increment(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    agent_id: UUID,
) -> None:
    plan, phone_id = await _with_added_phone(tenant, worker, consumer)
    async with database.system_session() as session:
        call = await calls.locked_call(session, tenant.tenant_id, plan.call_id)
        assert call is not None
        assert call.started_at is not None
        began = call.started_at = call.started_at - timedelta(minutes=5)
        call.created_at -= timedelta(minutes=6)
        phone = await calls.participant(session, tenant.tenant_id, plan.call_id, phone_id)
        assert phone is not None
        phone.status = ParticipantStatus.COMPLETED.value
        phone.joined_at, phone.left_at = began + timedelta(seconds=20), _later(began, 45)
        await session.flush()
        await end_call(session, call, EndReason.NORMAL_HANGUP, 45_000, _later(began, 45))
    bill = (await tenant.get(f"/v1/calls/{plan.call_id}/bill")).json()
    assert bill["phone_cost"] == 0.2
    assert [agent["from_seconds"] for agent in bill["agents"]] == [0, 20]


async def test_a_phone_in_a_call_that_costs_nothing_is_reserved_ahead_of_its_minutes(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    settings: ControlPlaneSettings,
    free_of_charge: None,
    agent_id: UUID,
) -> None:
    plan, _ = await _with_added_phone(tenant, worker, consumer)
    assert plan.highest_rate_micros_per_minute == 0
    await worker.meter(plan, 1_000)
    await catch_up(consumer)
    assert (await balance_of(tenant))["held_usd"] == 0
    assert await _dial(tenant, database, settings.dialing)
    for connected_ms, held_seconds in ((5_000, 90), (35_000, 120), (65_000, 150)):
        await worker.meter(plan, connected_ms)
        await catch_up(consumer)
        assert (await balance_of(tenant))["held_usd"] == pytest.approx(0.3 * held_seconds / 60)
    assert await worker.commands() == []


async def test_a_call_that_costs_nothing_ends_when_its_phone_is_not_paid_for_any_more(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    settings: ControlPlaneSettings,
    free_of_charge: None,
    agent_id: UUID,
) -> None:
    """Its worker knows of no limit: only the command ends the call."""
    plan, _ = await _with_added_phone(tenant, worker, consumer)
    assert await _dial(tenant, database, settings.dialing)
    await _leave_credit(tenant, database, 200_000)
    assert worker.offers[plan.call_id].funded_until_ms is None
    await worker.meter(plan, 5_000)
    await catch_up(consumer)
    assert (await worker.told_of_funds())[-1].balance_is_spent
    assert await worker.commands() == []
    await worker.meter(plan, 27_000)
    await catch_up(consumer)
    [command] = await worker.commands()
    assert isinstance(command.body, EndCall)
    assert command.body.end_reason is EndReason.INSUFFICIENT_FUNDS


@pytest.mark.parametrize("credit_micros", [0, 100_000])
async def test_a_phone_that_cannot_be_paid_does_not_end_the_call(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    settings: ControlPlaneSettings,
    free_of_charge: None,
    agent_id: UUID,
    credit_micros: int,
) -> None:
    """Neither while it waits, nor when it is not dialed for that reason."""
    plan, phone_id = await _with_added_phone(tenant, worker, consumer)
    await _leave_credit(tenant, database, credit_micros)
    for connected_ms in (5_000, 65_000):
        await worker.meter(plan, connected_ms)
        await catch_up(consumer)
    assert not await _dial(tenant, database, settings.dialing)
    await worker.meter(plan, 120_000)
    await catch_up(consumer)
    assert await worker.commands() == []
    shown = (await tenant.get(f"/v1/calls/{plan.call_id}")).json()
    (phone,) = (each for each in shown["participants"] if each["id"] == str(phone_id))
    assert (shown["status"], phone["status"]) == ("in_progress", "completed")


async def test_the_reading_after_a_phone_was_dialed_reserves_at_the_new_price(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    settings: ControlPlaneSettings,
    agent_id: UUID,
) -> None:
    """Also where the reserve was far enough ahead at the old one."""
    plan, _ = await _with_added_phone(tenant, worker, consumer)
    rate = plan.highest_rate_micros_per_minute
    assert (await balance_of(tenant))["held_usd"] == usd(charge_micros(90, rate))
    await worker.meter(plan, 1_000)
    await catch_up(consumer)
    assert await _dial(tenant, database, settings.dialing)
    await worker.meter(plan, 5_000)
    await catch_up(consumer)
    assert (await balance_of(tenant))["held_usd"] == usd(charge_micros(90, rate + 300_000))


@pytest.fixture
async def free_of_charge(tenant: TenantClient, database: Database) -> None:
    """The platform and all models cost nothing."""
    await change_books(database, "ALTER TABLE price_rows DISABLE TRIGGER USER")
    await change_books(database, "UPDATE price_rows SET micros_per_minute = 0")


async def test_limits_against_toll_fraud_hold_for_added_phones(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, agent_id: UUID
) -> None:
    await price(tenant, "+1", 0.3)
    await limit(tenant, rate_ceiling_usd_per_minute=0.2)
    plan = await running_call(tenant, worker, consumer)
    for number, code in (
        (CALLEE, "phone_rate_above_ceiling"),
        ("+4930123456", "phone_country_not_allowed"),
    ):
        answer = await tenant.post(
            f"/v1/calls/{plan.call_id}/participants",
            {"participants": [{"transport": "pstn", "identity": number}]},
        )
        assert (answer.status_code, answer.json()["code"]) == (403, code)


async def test_a_calls_legs_tell_how_far_each_phone_is_and_which_keys_were_pressed(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, agent_id: UUID
) -> None:
    plan, phone_id = await _with_added_phone(tenant, worker, consumer)
    await worker.ship(plan, _keys(phone_id, "received", "42"))
    await worker.ship(plan, _keys(phone_id, "sent", "1#"))
    await worker.ship(plan, _keys(phone_id, "received", None))
    await worker.ship(plan, _keys(uuid4(), "received", "7"))
    await catch_up(consumer)
    [leg] = (await tenant.get(f"/v1/calls/{plan.call_id}/legs")).json()["legs"]
    assert (leg["participant_id"], leg["direction"], leg["carrier"]) == (
        str(phone_id),
        "outbound",
        "twilio",
    )
    assert (leg["to_number"], leg["state"], leg["price_per_min"]) == (CALLEE, "waiting", 0.3)
    pressed: list[dict[str, Any]] = leg["keys"]
    assert [(each["direction"], each["digits"]) for each in pressed] == [
        ("received", "42"),
        ("sent", "1#"),
        ("received", None),
    ]


def _keys(participant_id: UUID, direction: str, digits: str | None) -> Logged:
    keys = KeysPressed.model_validate(
        {"participant_id": participant_id, "direction": direction, "digits": digits}
    )
    return Logged(level="info", message="Keys", keys=keys)
