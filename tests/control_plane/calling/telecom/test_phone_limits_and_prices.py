"""What minutes on the phone network cost, and the limits against toll fraud."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest

from contracts.call_plan import PriceRow
from contracts.end_reasons import EndReason
from control_plane.calling.calls import repository as calls
from control_plane.calling.calls.creating.caller_id import caller_ids
from control_plane.calling.calls.ending.call_end import end_call
from control_plane.calling.calls.models import Call
from control_plane.calling.calls.schemas import ParticipantInput
from control_plane.calling.carriers.models import CarrierAccountRecord
from control_plane.calling.numbers.models import Number
from control_plane.calling.telecom.models import TelecomPrice
from control_plane.calling.telecom.repository import price_of
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.sent_statements import statements

OURS, CALLEE = "+14155550100", "+14155550123"


@pytest.fixture
async def agent_id(tenant: TenantClient, database: Database) -> UUID:
    """Of a tenant with a number on the installation's account."""
    account_id = uuid4()
    async with database.system_session() as session:
        session.add(
            CarrierAccountRecord(
                id=account_id,
                tenant_id=None,
                provider="twilio",
                name="Twilio",
                sealed_credentials="not needed here",
            )
        )
        await session.flush()
        session.add(
            Number(
                tenant_id=tenant.tenant_id,
                number=OURS,
                carrier="twilio",
                carrier_account_id=account_id,
                is_managed=True,
                verified_by="operator",
            )
        )
    return await tenant.published_agent()


async def price(tenant: TenantClient, prefix: str, usd: float, direction: str = "outbound") -> Any:
    answer = await tenant.http.post(
        "/v1/operator/telecom-prices",
        headers=OPERATOR,
        json={
            "provider": "twilio",
            "direction": direction,
            "prefix": prefix,
            "usd_per_minute": usd,
        },
    )
    assert answer.status_code == 201, answer.text
    return answer.json()


async def call(tenant: TenantClient, agent_id: UUID, to: str = CALLEE) -> httpx2.Response:
    return await tenant.post(
        "/v1/calls",
        {"agent_id": str(agent_id), "participants": [{"transport": "pstn", "identity": to}]},
    )


async def limit(tenant: TenantClient, **settings: Any) -> dict[str, Any]:
    answer = await tenant.request("PUT", "/v1/phone-settings", json=settings)
    assert answer.status_code == 200, answer.text
    view: dict[str, Any] = answer.json()
    return view


async def test_the_longest_prefix_counts_and_the_newest_row_of_it(
    tenant: TenantClient, database: Database
) -> None:
    for prefix, usd in (("+4", 9.0), ("+49", 0.5), ("+49151", 0.7), ("+49", 0.6)):
        await price(tenant, prefix, usd)
    later = datetime.now(UTC) + timedelta(seconds=1)

    async def rate(number: str) -> int:
        async with database.system_session() as session:
            found = await price_of(session, "twilio", "outbound", number, later)
        assert found is not None
        return found.micros_per_minute

    assert await rate("+4915112345678") == 700_000
    assert await rate("+4930123456") == 600_000
    assert await rate("+43123456") == 9_000_000


async def test_the_phones_of_a_call_are_priced_together(
    tenant: TenantClient, database: Database, agent_id: UUID, settings: ControlPlaneSettings
) -> None:
    await price(tenant, "+1", 0.014)
    phones = [ParticipantInput(transport="pstn", identity=f"+1415555{n:04}") for n in range(16)]
    async with database.system_session() as session:
        with statements(database) as sent:
            found = await caller_ids(session, tenant.tenant_id, agent_id, phones, settings.dialing)
    prices = [each.price for each in found.values()]
    assert [each and each.micros_per_minute for each in prices] == [14_000] * 16
    assert sum(TelecomPrice.__tablename__ in statement for statement in sent) == 1


async def test_the_price_of_a_phone_is_frozen_and_charged(
    tenant: TenantClient, database: Database, agent_id: UUID
) -> None:
    row = await price(tenant, "+1", 0.014)
    answer = await call(tenant, agent_id)
    assert answer.status_code == 202, answer.text
    call_id = UUID(answer.json()["id"])
    await price(tenant, "+1", 5.0)
    now = datetime.now(UTC)
    async with database.system_session() as session:
        locked = await calls.locked_call(session, tenant.tenant_id, call_id)
        assert locked is not None
        plan = locked.frozen_plan()
        assert plan.prices[-1] == PriceRow(
            price_id=UUID(row["id"]),
            component="telecom",
            provider="twilio",
            model="outbound +1",
            micros_per_minute=14_000,
        )
        locked.created_at = now - timedelta(minutes=10)
        locked.started_at = now - timedelta(minutes=5)
        await session.flush()
        await end_call(session, locked, EndReason.NORMAL_HANGUP, 45_000, now)
    async with database.system_session() as session:
        ended = await session.get(Call, call_id)
    assert ended is not None
    assert ended.billable_seconds == 60
    assert ended.telecom_cost_micros == 14_000
    assert ended.total_cost_micros == plan.rate_micros_per_minute
    bill = await tenant.get(f"/v1/calls/{call_id}/bill")
    assert bill.status_code == 200, bill.text
    rows = [each for agent in bill.json()["agents"] for each in agent["prices"]]
    assert [each["cost"] for each in rows if each["component"] == "telecom"] == [0.014]


async def test_only_the_countries_of_ones_numbers_are_called_by_default(
    tenant: TenantClient, agent_id: UUID
) -> None:
    answer = await call(tenant, agent_id, "+4930123456")
    assert answer.status_code == 403
    problem = answer.json()
    assert (problem["code"], problem["setting"]) == (
        "phone_country_not_allowed",
        "allowed_countries",
    )
    view = await limit(tenant, allowed_countries=["DE", "US"])
    assert view["effective_countries"] == ["DE", "US"]
    assert (await call(tenant, agent_id, "+4930123456")).status_code == 202


async def test_a_rate_above_the_ceiling_is_refused(tenant: TenantClient, agent_id: UUID) -> None:
    await price(tenant, "+1", 0.3)
    await limit(tenant, rate_ceiling_usd_per_minute=0.2)
    answer = await call(tenant, agent_id)
    assert answer.status_code == 403
    problem = answer.json()
    assert (problem["code"], problem["setting"]) == (
        "phone_rate_above_ceiling",
        "rate_ceiling_usd_per_minute",
    )
    await limit(tenant, rate_ceiling_usd_per_minute=0.3)
    assert (await call(tenant, agent_id)).status_code == 202


async def test_a_batch_refuses_those_alone_whose_rate_is_above_the_ceiling(
    tenant: TenantClient, agent_id: UUID
) -> None:
    await price(tenant, "+1", 0.1)
    await price(tenant, "+1415", 0.3)
    await limit(tenant, rate_ceiling_usd_per_minute=0.2)
    people = [{"to": CALLEE}, {"to": "+12125550123"}]
    answer = await tenant.post("/v1/calls/batch", {"agent_id": str(agent_id), "recipients": people})
    assert answer.status_code == 202, answer.text
    assert answer.json()["accepted"] == 1
    assert [(each["index"], each["code"]) for each in answer.json()["errors"]] == [
        (0, "phone_rate_above_ceiling")
    ]


async def test_nothing_is_called_once_the_days_cap_is_spent(
    tenant: TenantClient, database: Database, agent_id: UUID
) -> None:
    await price(tenant, "+1", 1.0)
    await limit(tenant, daily_spend_cap_usd=0.5)
    answer = await call(tenant, agent_id)
    assert answer.status_code == 202, answer.text
    now = datetime.now(UTC)
    async with database.system_session() as session:
        locked = await calls.locked_call(session, tenant.tenant_id, UUID(answer.json()["id"]))
        assert locked is not None
        locked.created_at = now - timedelta(minutes=10)
        locked.started_at = now - timedelta(minutes=5)
        await session.flush()
        await end_call(session, locked, EndReason.NORMAL_HANGUP, 30_000, now)
    answer = await call(tenant, agent_id)
    assert answer.status_code == 403
    problem = answer.json()
    assert (problem["code"], problem["setting"]) == (
        "phone_daily_spend_reached",
        "daily_spend_cap_usd",
    )
    view = (await tenant.get("/v1/phone-settings")).json()
    assert view["spent_today_usd"] == 0.5


async def test_settings_that_make_no_sense_are_refused(tenant: TenantClient) -> None:
    for wrong in (
        {"allowed_countries": ["Germany"]},
        {"daily_spend_cap_usd": -1},
        {"rate_ceiling_usd_per_minute": "free"},
        {"something_else": 1},
    ):
        answer = await tenant.request("PUT", "/v1/phone-settings", json=wrong)
        assert answer.status_code == 400, answer.text
