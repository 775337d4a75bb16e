"""``POST /v1/calls/{call_id}/participants`` with phones, where a carrier is connected."""

from __future__ import annotations

from uuid import UUID

import pytest
from sqlalchemy import select

from control_plane.calling.dialing.models import DialingJob
from control_plane.calling.numbers.models import Number
from control_plane.platform.database import Database
from tests.control_plane.calling.dialing.phone import CALLEE, OWN_NUMBER, paid_by
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.conversation import create_call
from tests.stand_ins.simulated_carrier import NAME

PHONE = {"transport": "pstn", "identity": CALLEE}
BO = {"transport": "webrtc", "identity": "bo"}


@pytest.fixture(autouse=True)
async def own_number(tenant: TenantClient, database: Database) -> None:
    async with database.system_session() as session:
        session.add(Number(tenant_id=tenant.tenant_id, number=OWN_NUMBER, carrier=NAME))


async def new_call(tenant: TenantClient) -> str:
    call = await create_call(tenant, await tenant.published_agent())
    return str(call["id"])


async def test_a_phone_is_queued_beside_a_browser_that_may_join_at_once(
    tenant: TenantClient, database: Database
) -> None:
    call_id = await new_call(tenant)
    answer = await tenant.post(f"/v1/calls/{call_id}/participants", {"participants": [PHONE, BO]})
    assert answer.status_code == 202
    phone, bo = answer.json()["participants"]
    assert (phone["status"], phone["identity"], phone["access"]) == ("queued", CALLEE, None)
    assert bo["status"] == "joining"
    assert bo["access"]["token"]
    async with database.system_session() as session:
        job = await session.scalar(
            select(DialingJob).where(DialingJob.participant_id == UUID(phone["id"]))
        )
    assert job is not None
    assert (str(job.id), str(job.telephony_leg_id)) == (phone["job_id"], phone["telephony_leg_id"])
    assert (job.to_number, job.from_number, str(job.call_id)) == (CALLEE, OWN_NUMBER, call_id)


async def test_a_number_that_is_not_the_tenants_is_400(tenant: TenantClient) -> None:
    wanted = {"participants": [BO, PHONE | {"from_number": "+14155550199"}]}
    answer = await tenant.post(f"/v1/calls/{await new_call(tenant)}/participants", wanted)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert answer.json()["errors"][0]["field"] == "participants[1].from_number"


async def test_no_phone_is_called_while_the_operator_has_stopped_calls(
    tenant: TenantClient,
) -> None:
    path = f"/v1/calls/{await new_call(tenant)}/participants"
    stopped = await tenant.http.put(
        "/v1/operator/platform", headers=OPERATOR, json={"calls_enabled": False}
    )
    assert stopped.is_success, stopped.text
    answer = await tenant.post(path, {"participants": [PHONE]})
    assert (answer.status_code, answer.json()["code"]) == (503, "platform_calls_disabled")
    assert (await tenant.post(path, {"participants": [BO]})).status_code == 201


async def test_no_phone_is_called_for_a_paused_agent(tenant: TenantClient) -> None:
    agent_id = await tenant.published_agent()
    call = await create_call(tenant, agent_id)
    paused = await tenant.http.post(
        f"/v1/operator/agents/{agent_id}/pause",
        headers=OPERATOR,
        json={"reason": "abuse"},
    )
    assert paused.is_success, paused.text
    answer = await tenant.post(f"/v1/calls/{call['id']}/participants", {"participants": [PHONE]})
    assert (answer.status_code, answer.json()["code"]) == (423, "agent_admin_paused")


async def test_no_phone_is_called_at_the_cost_of_a_tester(
    tenant: TenantClient, other_tenant: TenantClient, database: Database
) -> None:
    call_id = await new_call(tenant)
    await paid_by(database, call_id, other_tenant)
    path = f"/v1/calls/{call_id}/participants"
    answer = await tenant.post(path, {"participants": [PHONE]})
    assert (answer.status_code, answer.json()["code"]) == (409, "call_paid_by_tester")
    assert (await tenant.post(path, {"participants": [BO]})).status_code == 201
