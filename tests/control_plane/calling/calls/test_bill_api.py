"""``GET /v1/calls/{call_id}/bill``: from the charge down to the catalogue's price rows."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from contracts.call_plan import CallPlan
from contracts.money import MICROS_PER_USD, usd
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.platform.database import Database
from tests.control_plane.building.catalogue.costs import charge_for_the_playbook
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import call_of, catch_up, running_call
from tests.control_plane.fake_worker import FakeWorker


@pytest.fixture
async def plan(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> CallPlan:
    await charge_for_the_playbook(database)
    return await running_call(tenant, worker, consumer)


async def bill_of(tenant: TenantClient, plan: CallPlan) -> dict[str, Any]:
    answer = await tenant.get(f"/v1/calls/{plan.call_id}/bill")
    assert answer.status_code == 200, answer.text
    bill: dict[str, Any] = answer.json()
    return bill


async def test_a_running_call_shows_its_hold_and_its_rates(
    tenant: TenantClient, plan: CallPlan
) -> None:
    bill = await bill_of(tenant, plan)
    assert (bill["charge"], bill["total_cost"], bill["billable_seconds"]) == (None, None, None)
    assert bill["hold"]["state"] == "open"
    assert bill["hold"]["amount"] > 0
    [agent] = bill["agents"]
    assert agent["agent_id"] == str(plan.agent_id)
    assert agent["price_per_min"] == usd(plan.rate_micros_per_minute)
    assert {row["price_id"] for row in agent["prices"]} == {
        str(row.price_id) for row in plan.prices
    }
    assert all(row["cost"] is None and row["valid_from"] for row in agent["prices"])


async def test_the_parts_of_the_charge_add_up_to_the_transaction(
    tenant: TenantClient, plan: CallPlan, worker: FakeWorker, consumer: EventConsumer
) -> None:
    await worker.end(plan, 20_000)
    await catch_up(consumer)
    bill = await bill_of(tenant, plan)
    call = await call_of(tenant, plan)
    found = (await tenant.get("/v1/billing/transactions")).json()["transactions"]
    [entry] = [each for each in found if each["call_id"] == str(plan.call_id)]
    assert bill["charge"]["transaction_id"] == entry["id"]
    assert bill["charge"]["amount"] == -entry["amount_usd"] == bill["total_cost"]
    assert (bill["charge"]["seconds"], bill["billable_seconds"]) == (30, 30)
    assert bill["total_cost"] == call["total_cost"] > 0
    assert bill["hold"]["state"] == "settled"
    assert bill["hold"]["closed_at"] is not None
    [agent] = bill["agents"]
    micros = [round(row["cost"] * MICROS_PER_USD) for row in agent["prices"]]
    assert sum(micros) == round(bill["total_cost"] * MICROS_PER_USD)
    assert (agent["from_seconds"], agent["seconds"]) == (0, 30)
    assert agent["cost"] == bill["total_cost"]


async def test_there_is_no_bill_of_an_unknown_call(tenant: TenantClient) -> None:
    answer = await tenant.get(f"/v1/calls/{uuid4()}/bill")
    assert (answer.status_code, answer.json()["code"]) == (404, "call_not_found")
