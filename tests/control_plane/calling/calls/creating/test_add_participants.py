"""``POST /v1/calls/{call_id}/participants``: what it gives, and each row of its errors."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest

from contracts.events import LegJoined, LegLeft
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.calls.schemas import MAX_PARTICIPANTS
from control_plane.calling.realtime.access_token import decode_access
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import call_of, catch_up, create_call, running_call
from tests.control_plane.fake_worker import FakeWorker

BO = {"transport": "webrtc", "identity": "bo"}
PHONE = {"transport": "pstn", "identity": "+14155550123"}


async def add(
    tenant: TenantClient, call_id: object, *participants: Any, **headers: str
) -> httpx2.Response:
    return await tenant.http.post(
        f"/v1/calls/{call_id}/participants",
        headers=tenant.headers | headers,
        json={"participants": list(participants)},
    )


def refusal(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def new_call(tenant: TenantClient) -> UUID:
    return UUID((await create_call(tenant, await tenant.published_agent()))["id"])


async def test_a_browser_is_given_access_to_the_call_under_way(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    settings: ControlPlaneSettings,
) -> None:
    plan = await running_call(tenant, worker, consumer)
    answer = await add(tenant, plan.call_id, BO | {"metadata": {"desk": 4}})
    assert answer.status_code == 201
    added = answer.json()
    assert (added["id"], added["room_name"]) == (str(plan.call_id), plan.room_name)
    assert added["status"] == "in_progress"
    [bo] = added["participants"]
    assert (bo["role"], bo["transport"], bo["identity"], bo["status"]) == (
        "participant",
        "webrtc",
        "bo",
        "joining",
    )
    assert (bo["job_id"], bo["telephony_leg_id"]) == (None, None)
    assert (bo["from_number"], bo["metadata"]) == (None, {"desk": 4})
    assert bo["access"]["url"] == f"http://switchboard.test/v1/rtc/{plan.call_id}"
    access = decode_access(bo["access"]["token"], settings.secret_key)
    assert (access.participant_id, access.call_id) == (UUID(bo["id"]), plan.call_id)
    shown = await call_of(tenant, plan)
    assert [each["identity"] for each in shown["participants"]] == ["ada", "bo"]
    assert [each["metadata"] for each in shown["participants"]] == [{}, {"desk": 4}]
    assert shown["primary_participant"]["identity"] == "ada"
    assert "A participant was invited" in [each["message"] for each in shown["events"]]


async def test_joining_and_leaving_show_on_the_new_participant(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    plan = await running_call(tenant, worker, consumer)
    [bo] = (await add(tenant, plan.call_id, BO)).json()["participants"]
    await worker.ship(plan, LegJoined(participant_id=UUID(bo["id"])))
    await catch_up(consumer)
    assert [p["status"] for p in (await call_of(tenant, plan))["participants"]] == ["connected"] * 2
    await worker.ship(plan, LegLeft(participant_id=UUID(bo["id"]), cause="left"))
    await catch_up(consumer)
    shown = await call_of(tenant, plan)
    assert [p["status"] for p in shown["participants"]] == ["connected", "completed"]
    assert shown["status"] == "in_progress"


async def test_it_is_on_the_audit_log(tenant: TenantClient) -> None:
    call_id = await new_call(tenant)
    [bo] = (await add(tenant, call_id, BO)).json()["participants"]
    entries = (await tenant.get("/v1/audit-log")).json()["entries"]
    [entry] = [each for each in entries if each["action"] == "call.participants_added"]
    assert entry["target_id"] == str(call_id)
    assert entry["changes"] == {"participants": [bo["id"]]}


async def test_the_same_request_twice_adds_once(tenant: TenantClient) -> None:
    call_id = await new_call(tenant)
    key = {"Idempotency-Key": uuid4().hex}
    first = await add(tenant, call_id, BO, **key)
    second = await add(tenant, call_id, BO, **key)
    assert (first.status_code, second.status_code) == (201, 201)
    assert second.json() == first.json()
    assert second.headers["Idempotency-Replayed"] == "true"
    assert (await tenant.get(f"/v1/calls/{call_id}")).json()["participant_count"] == 2
    assert refusal(await add(tenant, call_id, BO | {"identity": "cy"}, **key)) == (
        422,
        "idempotency_key_reused",
    )


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "participants"),
        ({"participants": []}, "participants"),
        ({"participants": [{}]}, "participants[0].transport"),
        ({"participants": [BO, {"transport": "webrtc"}]}, "participants[1].identity"),
        ({"participants": [BO | {"from_number": "+14155550100"}]}, "participants[0].from_number"),
        ({"participants": [PHONE | {"identity": "bo"}]}, "participants[0].identity"),
        ({"participants": [BO] * (MAX_PARTICIPANTS + 1)}, "participants"),
        ({"participants": [BO], "agent_id": "x"}, "agent_id"),
    ],
)
async def test_invalid_participants_are_400_and_name_the_field(
    tenant: TenantClient, body: dict[str, Any], field: str
) -> None:
    call_id = await new_call(tenant)
    answer = await tenant.post(f"/v1/calls/{call_id}/participants", body)
    assert refusal(answer) == (400, "invalid_request")
    assert field in [error["field"] for error in answer.json()["errors"]]


async def test_a_phone_without_a_carrier_is_400_and_nobody_is_added(tenant: TenantClient) -> None:
    call_id = await new_call(tenant)
    answer = await add(tenant, call_id, BO, PHONE)
    assert refusal(answer) == (400, "invalid_request")
    assert answer.json()["errors"][0]["field"] == "participants[1].transport"
    assert (await tenant.get(f"/v1/calls/{call_id}")).json()["participant_count"] == 1


async def test_a_number_on_the_do_not_call_list_is_400(tenant: TenantClient) -> None:
    call_id = await new_call(tenant)
    await tenant.post("/v1/do-not-call", {"number": PHONE["identity"]})
    answer = await add(tenant, call_id, PHONE)
    assert refusal(answer) == (400, "do_not_call")
    assert answer.json()["errors"][0]["field"] == "participants[0].identity"


async def test_without_a_key_it_is_401(tenant: TenantClient) -> None:
    answer = await tenant.http.post(
        f"/v1/calls/{await new_call(tenant)}/participants", json={"participants": [BO]}
    )
    assert refusal(answer) == (401, "unauthorized")


async def test_with_a_publishable_key_it_is_403(tenant: TenantClient) -> None:
    answer = await tenant.http.post(
        f"/v1/calls/{await new_call(tenant)}/participants",
        headers=await tenant.publishable_key(),
        json={"participants": [BO]},
    )
    assert refusal(answer) == (403, "secret_key_required")


async def test_another_tenants_call_is_403_and_stays_as_it_is(
    tenant: TenantClient, other_tenant: TenantClient
) -> None:
    call_id = await new_call(tenant)
    assert refusal(await add(other_tenant, call_id, BO)) == (403, "call_of_another_tenant")
    assert (await tenant.get(f"/v1/calls/{call_id}")).json()["participant_count"] == 1


async def test_a_call_that_nobody_has_is_404(tenant: TenantClient) -> None:
    assert refusal(await add(tenant, uuid4(), BO)) == (404, "call_not_found")


async def test_a_call_whose_agent_is_not_published_any_more_is_409(tenant: TenantClient) -> None:
    agent_id = await tenant.published_agent()
    call = await create_call(tenant, agent_id)
    assert (await tenant.request("DELETE", f"/v1/agents/{agent_id}")).is_success
    answer = await add(tenant, call["id"], BO)
    assert refusal(answer) == (409, "agent_not_publish_ready")
    assert answer.json()["blockers"][0]["code"] == "not_published"


async def test_a_call_that_is_over_is_409(tenant: TenantClient) -> None:
    call_id = await new_call(tenant)
    assert (await tenant.post(f"/v1/calls/{call_id}/end")).is_success
    assert refusal(await add(tenant, call_id, BO)) == (409, "call_already_over")


async def test_a_full_call_is_409_until_somebody_has_left(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    plan = await running_call(tenant, worker, consumer)
    filled = await add(tenant, plan.call_id, *[BO] * (MAX_PARTICIPANTS - 1))
    assert filled.status_code == 201
    answer = await add(tenant, plan.call_id, BO)
    assert refusal(answer) == (409, "call_full")
    assert (answer.json()["limit"], answer.json()["used"]) == (MAX_PARTICIPANTS, MAX_PARTICIPANTS)
    leaver = UUID(filled.json()["participants"][0]["id"])
    await worker.ship(plan, LegJoined(participant_id=leaver))
    await worker.ship(plan, LegLeft(participant_id=leaver, cause="left"))
    await catch_up(consumer)
    assert (await add(tenant, plan.call_id, BO)).status_code == 201
