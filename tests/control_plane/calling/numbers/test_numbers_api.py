"""The six rows of numbers. Source: API spec, "Numbers" and "Errors"."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from sqlalchemy import select, update

from carriers.api import CarrierProblem, ProblemKind
from control_plane.calling.numbers import webhook_setup
from control_plane.calling.numbers.models import Number
from control_plane.platform.database import Database
from control_plane.platform.outbox.models import OutboxEvent
from control_plane.platform.tenancy.models import Plan, Tenant
from tests.control_plane.carriers_apart import BRIDGE_URL, TWILIO, FakeAccess
from tests.control_plane.conftest import OPERATOR, TenantClient

NUMBER = "+14155550100"
IN_PATH = "%2B14155550100"


async def connect(tenant: TenantClient) -> str:
    answer = await tenant.post("/v1/carriers", {"provider": "twilio", "credentials": TWILIO})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["carrier"]["id"])


async def register(tenant: TenantClient, **fields: Any) -> httpx2.Response:
    return await tenant.post("/v1/numbers", {"number": NUMBER} | fields)


async def listed(tenant: TenantClient) -> list[dict[str, Any]]:
    answer = await tenant.get("/v1/numbers")
    assert answer.status_code == 200, answer.text
    numbers: list[dict[str, Any]] = answer.json()["numbers"]
    return numbers


async def test_a_number_is_registered_without_an_agent(
    tenant: TenantClient, access: FakeAccess
) -> None:
    answer = await register(tenant, number="+1 (415) 555-0100")
    assert answer.status_code == 201, answer.text
    assert answer.json() == {"status": "registered", "number": NUMBER, "agent_id": None}
    (row,) = await listed(tenant)
    assert (row["number"], row["is_managed"], row["webhook_status"]) == (NUMBER, False, None)
    assert row["tenant_id"] == str(tenant.tenant_id)
    assert "user_id" in row


async def test_with_an_agent_the_carriers_webhook_is_configured(
    tenant: TenantClient, access: FakeAccess, database: Database
) -> None:
    account_id = await connect(tenant)
    access.twilio.numbers.add(NUMBER)
    agent_id = str(await tenant.agent())
    answer = await register(tenant, agent_id=agent_id)
    assert answer.status_code == 201, answer.text
    url = f"{BRIDGE_URL}/carriers/twilio/{account_id}/voice"
    assert answer.json()["webhook"] == {
        "status": "configured",
        "provider": "twilio",
        "webhookUrl": url,
        "verified": True,
    }
    assert access.twilio.bound == {NUMBER: url}
    (row,) = await listed(tenant)
    assert (row["webhook_status"], row["verified_by"]) == ("configured", "carrier")
    async with database.system_session() as session:
        (event,) = await session.scalars(
            select(OutboxEvent.data).where(OutboxEvent.event == "agent.number_assigned")
        )
    assert event["metadata"] == {"agent_id": agent_id, "number": NUMBER}


async def test_registering_it_again_is_200_and_changes_the_agent(
    tenant: TenantClient, access: FakeAccess
) -> None:
    await register(tenant)
    agent_id = str(await tenant.agent())
    answer = await register(tenant, agent_id=agent_id)
    assert answer.status_code == 200, answer.text
    assert answer.json()["agent_id"] == agent_id
    again = await register(tenant)
    assert again.status_code == 200
    assert again.json()["agent_id"] == agent_id
    assert len(await listed(tenant)) == 1


async def test_without_a_carrier_the_webhook_says_so(
    tenant: TenantClient, access: FakeAccess
) -> None:
    answer = await register(tenant, agent_id=str(await tenant.agent()))
    assert answer.status_code == 201, answer.text
    assert answer.json()["webhook"] == {
        "status": "no_carrier",
        "provider": None,
        "webhookUrl": None,
        "verified": False,
    }
    (row,) = await listed(tenant)
    assert (row["webhook_status"], row["verified_by"]) == (None, None)


async def test_a_number_that_is_not_in_the_account_is_registered_and_not_verified(
    tenant: TenantClient, access: FakeAccess
) -> None:
    await connect(tenant)
    answer = await register(tenant, agent_id=str(await tenant.agent()))
    assert answer.status_code == 201, answer.text
    webhook = answer.json()["webhook"]
    assert (webhook["status"], webhook["verified"]) == ("failed", False)
    assert webhook["error"] == f"{NUMBER} is not in your account at twilio"
    (row,) = await listed(tenant)
    assert row["verified_by"] is None


async def test_a_setting_that_the_carrier_refuses_is_made_by_hand(
    tenant: TenantClient, access: FakeAccess
) -> None:
    account_id = await connect(tenant)
    access.twilio.numbers.add(NUMBER)
    access.twilio.bind_problem = CarrierProblem(
        ProblemKind.NOT_ALLOWED, "The key may not change numbers."
    )
    answer = await register(tenant, agent_id=str(await tenant.agent()))
    webhook = answer.json()["webhook"]
    assert (webhook["status"], webhook["verified"]) == ("manual_required", True)
    assert webhook["webhookUrl"] == f"{BRIDGE_URL}/carriers/twilio/{account_id}/voice"


async def test_a_slow_carrier_holds_nobody_up_and_its_result_is_kept(
    tenant: TenantClient,
    access: FakeAccess,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await connect(tenant)
    access.twilio.numbers.add(NUMBER)
    monkeypatch.setattr(webhook_setup, "SETUP_SECONDS", 0.05)
    access.twilio.answers.clear()
    answer = await register(tenant, agent_id=str(await tenant.agent()))
    assert answer.status_code == 201, answer.text
    assert answer.json()["webhook"]["status"] == "failed"
    (setting_up,) = webhook_setup._running
    access.twilio.answers.set()
    await setting_up
    (row,) = await listed(tenant)
    assert row["webhook_status"] == "configured"


async def test_a_set_up_that_fails_unforeseen_when_its_request_is_over_is_kept_as_failed(
    tenant: TenantClient, access: FakeAccess, monkeypatch: pytest.MonkeyPatch
) -> None:
    await connect(tenant)
    access.twilio.numbers.add(NUMBER)
    access.twilio.bind_problem = KeyError("a fault of ours")
    monkeypatch.setattr(webhook_setup, "SETUP_SECONDS", 0.05)
    access.twilio.answers.clear()
    await register(tenant, agent_id=str(await tenant.agent()))
    (setting_up,) = webhook_setup._running
    access.twilio.answers.set()
    await asyncio.wait({setting_up})
    (row,) = await listed(tenant)
    assert (row["webhook_status"], row["webhook_error"]) == ("failed", webhook_setup.OUR_FAULT)


async def test_an_agent_is_attached_and_detached(tenant: TenantClient, access: FakeAccess) -> None:
    await connect(tenant)
    access.twilio.numbers.add(NUMBER)
    await register(tenant)
    agent_id = str(await tenant.agent())
    answer = await tenant.post(f"/v1/numbers/{IN_PATH}/attach", {"agent_id": agent_id})
    assert answer.status_code == 201, answer.text
    attached = answer.json()
    assert (attached["status"], attached["agent_id"], attached["number"]) == (
        "attached",
        agent_id,
        NUMBER,
    )
    assert attached["webhook"]["status"] == "configured"
    answer = await tenant.post(f"/v1/numbers/{IN_PATH}/detach")
    assert (answer.status_code, answer.json()) == (200, {"status": "detached", "number": NUMBER})
    assert access.twilio.bound == {}
    (row,) = await listed(tenant)
    assert row["agent_id"] is None


async def test_the_webhook_is_configured_again(tenant: TenantClient, access: FakeAccess) -> None:
    await register(tenant, agent_id=str(await tenant.agent()))
    await connect(tenant)
    access.twilio.numbers.add(NUMBER)
    answer = await tenant.post(f"/v1/numbers/{IN_PATH}/webhook")
    assert answer.status_code == 200, answer.text
    assert answer.json()["number"] == NUMBER
    assert answer.json()["webhook"]["status"] == "configured"


async def test_removing_is_local_and_can_be_repeated(
    tenant: TenantClient, access: FakeAccess
) -> None:
    await connect(tenant)
    access.twilio.numbers.add(NUMBER)
    await register(tenant, agent_id=str(await tenant.agent()))
    bound = dict(access.twilio.bound)
    for _ in range(2):
        answer = await tenant.request("DELETE", f"/v1/numbers/{IN_PATH}")
        assert (answer.status_code, answer.json()) == (200, {"status": "removed", "number": NUMBER})
    assert access.twilio.bound == bound
    assert await listed(tenant) == []


@pytest.mark.parametrize(
    ("number", "code"),
    [
        ("4155550100", "invalid_phone_number"),
        ("+1415", "invalid_phone_number"),
        ("nonsense", "invalid_phone_number"),
        ("+80012345678", "unsupported_country"),
    ],
)
async def test_a_number_that_cannot_be_used_is_refused(
    tenant: TenantClient, number: str, code: str
) -> None:
    answer = await register(tenant, number=number)
    assert (answer.status_code, answer.json()["code"]) == (400, code)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/numbers/nonsense/attach"),
        ("POST", "/v1/numbers/nonsense/webhook"),
        ("POST", "/v1/numbers/nonsense/detach"),
        ("DELETE", "/v1/numbers/nonsense"),
    ],
)
async def test_a_path_without_a_number_is_400(tenant: TenantClient, method: str, path: str) -> None:
    body = {"agent_id": str(uuid4())} if path.endswith("attach") else None
    answer = await tenant.request(method, path, json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_phone_number")


async def test_an_agent_of_somebody_else_is_403(
    tenant: TenantClient, other_tenant: TenantClient, access: FakeAccess
) -> None:
    foreign = str(await other_tenant.agent())
    answer = await register(tenant, agent_id=foreign)
    assert (answer.status_code, answer.json()["code"]) == (403, "agent_not_in_tenant")
    await register(tenant)
    answer = await tenant.post(f"/v1/numbers/{IN_PATH}/attach", {"agent_id": foreign})
    assert answer.status_code == 403
    answer = await tenant.post(f"/v1/numbers/{IN_PATH}/attach", {})
    assert answer.status_code == 400


async def test_a_number_that_is_not_registered_is_404(tenant: TenantClient) -> None:
    agent_id = str(await tenant.agent())
    for action, body in (("attach", {"agent_id": agent_id}), ("webhook", None), ("detach", None)):
        answer = await tenant.post(f"/v1/numbers/{IN_PATH}/{action}", body)
        assert (answer.status_code, answer.json()["code"]) == (404, "number_not_found")


async def test_a_number_that_a_carrier_has_proved_is_taken_for_others(
    tenant: TenantClient, other_tenant: TenantClient, access: FakeAccess
) -> None:
    await connect(tenant)
    access.twilio.numbers.add(NUMBER)
    await register(tenant)
    answer = await register(other_tenant)
    assert (answer.status_code, answer.json()["code"]) == (409, "number_taken")


async def test_a_number_that_nobody_has_proved_keeps_no_owner_out(
    tenant: TenantClient, other_tenant: TenantClient, access: FakeAccess
) -> None:
    await register(tenant)
    await connect(other_tenant)
    access.twilio.numbers.add(NUMBER)
    answer = await register(other_tenant)
    assert answer.status_code == 201, answer.text
    (row,) = await listed(other_tenant)
    assert row["verified_by"] == "carrier"
    (unproved,) = await listed(tenant)
    assert unproved["verified_by"] is None


async def test_the_plans_quota_is_429_with_limit_and_used(
    tenant: TenantClient, database: Database, access: FakeAccess
) -> None:
    async with database.system_session() as session:
        session.add(
            Plan(
                id=f"one-number-{tenant.tenant_id.hex[:8]}",
                display_name="One number",
                monthly_credit_micros=0,
                byok_allowed=True,
                phone_numbers_max=1,
            )
        )
        await session.flush()
        await session.execute(
            update(Tenant)
            .where(Tenant.id == tenant.tenant_id)
            .values(plan_id=f"one-number-{tenant.tenant_id.hex[:8]}")
        )
    assert (await register(tenant)).status_code == 201
    answer = await register(tenant, number="+14155550101")
    assert answer.status_code == 429
    problem = answer.json()
    assert (problem["code"], problem["limit"], problem["used"]) == (
        "quota_exceeded.phone_numbers_max",
        1,
        1,
    )
    assert (await register(tenant)).status_code == 200


async def test_numbers_are_listed_in_pages(tenant: TenantClient, access: FakeAccess) -> None:
    for last in range(3):
        await register(tenant, number=f"+1415555010{last}")
    answer = await tenant.get("/v1/numbers", params={"limit": 1, "offset": 1})
    page = answer.json()
    assert (page["total"], page["limit"], page["offset"]) == (3, 1, 1)
    assert [row["number"] for row in page["numbers"]] == ["+14155550101"]
    assert (await tenant.get("/v1/numbers", params={"limit": 501})).status_code == 400


async def test_deleting_an_agent_deletes_its_mappings(
    tenant: TenantClient, database: Database, access: FakeAccess
) -> None:
    agent_id = str(await tenant.agent())
    await register(tenant, agent_id=agent_id)
    given = "+14155550177"
    answer = await tenant.http.post(
        f"/v1/operator/tenants/{tenant.tenant_id}/numbers",
        headers=OPERATOR,
        json={"number": given, "agent_id": agent_id},
    )
    assert answer.status_code == 201, answer.text
    assert (await tenant.request("DELETE", f"/v1/agents/{agent_id}")).status_code == 200
    (row,) = await listed(tenant)
    assert (row["number"], row["agent_id"]) == (given, None)
    async with database.system_session() as session:
        assert await session.scalar(select(Number.id).where(Number.number == NUMBER)) is None


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/numbers"),
        ("POST", f"/v1/numbers/{IN_PATH}/attach"),
        ("POST", f"/v1/numbers/{IN_PATH}/webhook"),
        ("POST", f"/v1/numbers/{IN_PATH}/detach"),
        ("GET", "/v1/numbers"),
        ("DELETE", f"/v1/numbers/{IN_PATH}"),
    ],
)
async def test_without_a_valid_key_everything_is_401(
    tenant: TenantClient, method: str, path: str
) -> None:
    answer = await tenant.http.request(
        method,
        path,
        headers={"Authorization": "Bearer sb_sk_nobodys"},
        json={"number": NUMBER, "agent_id": str(uuid4())},
    )
    assert answer.status_code == 401
