"""WHIP: an offer goes to the worker that runs the call, its answer comes back."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from fastapi import FastAPI

from contracts import redis_names
from contracts.call_plan import LONGEST_CALL_SECONDS
from contracts.commands import CommandRefused, LegAnswered, OfferLeg, RemoveLeg
from contracts.ice_servers import password_of
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.realtime import signalling
from control_plane.calling.realtime.access_token import RoomAccess, decode_access, encode_access
from control_plane.platform.link.link import Link
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import CALLER, catch_up, create_call
from tests.control_plane.fake_worker import FakeWorker

OFFER = "\r\n".join(
    [
        "v=0",
        "o=- 1 1 IN IP4 127.0.0.1",
        "s=-",
        "t=0 0",
        "m=audio 9 UDP/TLS/RTP/SAVPF 111",
        "",
    ]
)
ANSWER = OFFER.replace("o=- 1", "o=- 2")


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signalling, "CLAIM_WAIT_SECONDS", 0.2)
    monkeypatch.setattr(signalling, "LONGEST_REPLY_SECONDS", 1.0)


@pytest.fixture
async def call(tenant: TenantClient) -> dict[str, Any]:
    return await create_call(tenant, await tenant.published_agent())


def access_headers(call: dict[str, Any]) -> dict[str, str]:
    return {"Authorization": f"Bearer {call['participants'][0]['access']['token']}"}


async def post_offer(
    http: httpx2.AsyncClient, call: dict[str, Any], offer: str | bytes = OFFER, **headers: str
) -> httpx2.Response:
    return await http.post(
        call["participants"][0]["access"]["url"],
        content=offer,
        headers={"Content-Type": "application/sdp"} | access_headers(call) | headers,
    )


async def answered(worker: FakeWorker, body: LegAnswered | CommandRefused) -> OfferLeg:
    """Reply to the next offer with ``body``."""
    command = await worker.next_command()
    assert isinstance(command.body, OfferLeg)
    await worker.reply(command.body, body)
    return command.body


async def test_an_offer_is_answered_by_the_worker_that_holds_the_lease(
    http: httpx2.AsyncClient, worker: FakeWorker, call: dict[str, Any]
) -> None:
    await worker.claim()
    response, offered = await asyncio.gather(
        post_offer(http, call), answered(worker, LegAnswered(sdp=ANSWER))
    )
    participant = call["participants"][0]
    assert (response.status_code, response.text) == (201, ANSWER)
    assert response.headers["content-type"] == "application/sdp"
    assert response.headers["location"] == f"/v1/rtc/{call['id']}/legs/{participant['id']}"
    assert response.headers["link"] == '<stun:stun.example.net>; rel="ice-server"'
    assert (offered.sdp, offered.identity) == (OFFER, "ada")
    assert offered.participant_id == UUID(participant["id"])


async def test_an_offer_waits_for_a_worker_to_claim_the_call(
    http: httpx2.AsyncClient,
    worker: FakeWorker,
    call: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(signalling, "CLAIM_WAIT_SECONDS", 8.0)
    joining_call = asyncio.create_task(post_offer(http, call))
    await asyncio.sleep(0)
    await worker.claim()
    await answered(worker, LegAnswered(sdp=ANSWER))
    assert (await joining_call).status_code == 201


async def test_without_a_worker_the_page_is_told_to_try_again(
    http: httpx2.AsyncClient, call: dict[str, Any]
) -> None:
    response = await post_offer(http, call)
    assert (response.status_code, response.json()["code"]) == (503, "no_worker")
    assert int(response.headers["retry-after"]) > 0


async def test_a_worker_that_does_not_answer_is_503(
    http: httpx2.AsyncClient, worker: FakeWorker, call: dict[str, Any]
) -> None:
    await worker.claim()
    response = await post_offer(http, call)
    assert (response.status_code, response.json()["code"]) == (503, "no_worker")


@pytest.mark.parametrize(
    ("code", "status", "shown"),
    [
        ("bad_offer", 400, "bad_offer"),
        ("room_closed", 410, "call_over"),
        ("call_not_here", 503, "no_worker"),
        ("no_free_port", 503, "no_worker"),
        ("no_free_slot", 503, "no_capacity"),
    ],
)
async def test_a_workers_refusal_becomes_a_problem(
    http: httpx2.AsyncClient,
    worker: FakeWorker,
    call: dict[str, Any],
    code: Any,
    status: int,
    shown: str,
) -> None:
    await worker.claim()
    response, _ = await asyncio.gather(
        post_offer(http, call), answered(worker, CommandRefused(code=code, detail="No codec."))
    )
    assert (response.status_code, response.json()["code"]) == (status, shown)


async def test_a_call_that_is_over_is_410(
    http: httpx2.AsyncClient, tenant: TenantClient, call: dict[str, Any]
) -> None:
    assert (await tenant.post(f"/v1/calls/{call['id']}/end")).status_code == 200
    response = await post_offer(http, call)
    assert (response.status_code, response.json()["code"]) == (410, "call_over")


@pytest.mark.parametrize(
    "offer", ["", "hello", "v=0\r\n", '{"type": "offer"}', b"\xff\xfe", "v=0\r\nm=audio 9\r\n"]
)
async def test_what_is_not_sdp_never_reaches_a_worker(
    http: httpx2.AsyncClient, worker: FakeWorker, call: dict[str, Any], offer: str | bytes
) -> None:
    await worker.claim()
    response = await post_offer(http, call, offer)
    assert (response.status_code, response.json()["code"]) == (400, "bad_offer")
    assert await worker.commands() == []


async def test_a_body_of_another_type_is_415(
    http: httpx2.AsyncClient, call: dict[str, Any]
) -> None:
    response = await post_offer(http, call, **{"Content-Type": "application/json"})
    assert (response.status_code, response.json()["code"]) == (415, "unsupported_media_type")


async def test_an_offer_that_is_too_long_is_413(
    http: httpx2.AsyncClient, call: dict[str, Any]
) -> None:
    response = await post_offer(http, call, OFFER + "a=x\r\n" * 20_000)
    assert (response.status_code, response.json()["code"]) == (413, "body_too_large")


async def test_without_a_token_it_is_401(http: httpx2.AsyncClient, call: dict[str, Any]) -> None:
    url = call["participants"][0]["access"]["url"]
    response = await http.post(url, content=OFFER, headers={"Content-Type": "application/sdp"})
    assert (response.status_code, response.json()["code"]) == (401, "access_token_invalid")
    assert response.headers["www-authenticate"] == "Bearer"


async def test_an_api_key_is_no_access_token(
    http: httpx2.AsyncClient, tenant: TenantClient, call: dict[str, Any]
) -> None:
    response = await post_offer(http, call, Authorization=f"Bearer {tenant.key}")
    assert (response.status_code, response.json()["code"]) == (401, "access_token_invalid")


async def test_an_expired_token_is_401_and_says_so(
    http: httpx2.AsyncClient, settings: ControlPlaneSettings, call: dict[str, Any]
) -> None:
    access = decode_access(call["participants"][0]["access"]["token"], settings.secret_key)
    token = encode_access(
        access, settings.secret_key, datetime.now(UTC) - timedelta(hours=2), timedelta(hours=1)
    )
    response = await post_offer(http, call, Authorization=f"Bearer {token}")
    assert response.status_code == 401
    assert "expired" in response.json()["detail"]


async def test_a_token_for_another_call_is_403(
    http: httpx2.AsyncClient, tenant: TenantClient, call: dict[str, Any]
) -> None:
    another = await create_call(tenant, await tenant.published_agent())
    response = await post_offer(http, call, **access_headers(another))
    assert (response.status_code, response.json()["code"]) == (403, "access_token_for_another_call")


async def test_a_token_of_a_participant_that_does_not_exist_is_404(
    http: httpx2.AsyncClient, settings: ControlPlaneSettings, call: dict[str, Any]
) -> None:
    access = decode_access(call["participants"][0]["access"]["token"], settings.secret_key)
    for stranger in (replace(access, participant_id=uuid4()), replace(access, tenant_id=uuid4())):
        token = encode_access(stranger, settings.secret_key, datetime.now(UTC), timedelta(hours=1))
        response = await post_offer(http, call, Authorization=f"Bearer {token}")
        assert (response.status_code, response.json()["code"]) == (404, "call_not_found")


async def test_leaving_tells_the_worker(
    http: httpx2.AsyncClient, worker: FakeWorker, call: dict[str, Any]
) -> None:
    await worker.claim()
    participant_id = call["participants"][0]["id"]
    response = await http.delete(
        f"/v1/rtc/{call['id']}/legs/{participant_id}", headers=access_headers(call)
    )
    assert response.status_code == 200
    command = await worker.next_command()
    assert command.body == RemoveLeg(participant_id=UUID(participant_id))


async def test_a_call_is_left_with_the_token_alone(
    http: httpx2.AsyncClient, worker: FakeWorker, call: dict[str, Any]
) -> None:
    await worker.claim()
    participant = call["participants"][0]
    response = await http.delete(participant["access"]["url"], headers=access_headers(call))
    assert response.status_code == 200
    command = await worker.next_command()
    assert command.body == RemoveLeg(participant_id=UUID(participant["id"]))


async def test_a_call_that_is_left_before_a_worker_has_it_ends(
    http: httpx2.AsyncClient, tenant: TenantClient, call: dict[str, Any]
) -> None:
    url = call["participants"][0]["access"]["url"]
    for _ in range(2):
        assert (await http.delete(url, headers=access_headers(call))).status_code == 200
        shown = (await tenant.get(f"/v1/calls/{call['id']}")).json()
        assert shown["end_reason"] == "participant_disconnected"


async def test_a_call_that_others_may_join_waits_for_them_when_one_leaves(
    http: httpx2.AsyncClient, tenant: TenantClient
) -> None:
    invited = [CALLER, {"transport": "webrtc", "identity": "bo"}]
    call = await create_call(tenant, await tenant.published_agent(), participants=invited)
    url = call["participants"][0]["access"]["url"]
    assert (await http.delete(url, headers=access_headers(call))).status_code == 200
    shown = (await tenant.get(f"/v1/calls/{call['id']}")).json()
    assert (shown["ended_at"], shown["end_reason"]) == (None, None)


async def test_leaving_a_call_that_nobody_runs_is_fine(
    http: httpx2.AsyncClient, call: dict[str, Any]
) -> None:
    response = await http.delete(
        f"/v1/rtc/{call['id']}/legs/{call['participants'][0]['id']}", headers=access_headers(call)
    )
    assert response.status_code == 200


async def test_nobody_can_remove_another_participant(
    http: httpx2.AsyncClient, worker: FakeWorker, call: dict[str, Any]
) -> None:
    await worker.claim()
    response = await http.delete(
        f"/v1/rtc/{call['id']}/legs/{uuid4()}", headers=access_headers(call)
    )
    assert response.status_code == 403
    assert await worker.commands() == []


async def test_without_the_link_joining_and_leaving_are_503_and_calling_is_not(
    http: httpx2.AsyncClient, app: FastAPI, tenant: TenantClient
) -> None:
    working, app.state.link = app.state.link, Link("redis://127.0.0.1:1")
    try:
        call = await create_call(tenant, await tenant.published_agent())
        joined = await post_offer(http, call)
        left = await http.delete(
            f"/v1/rtc/{call['id']}/legs/{call['participants'][0]['id']}",
            headers=access_headers(call),
        )
    finally:
        app.state.link = working
    for response in (joined, left):
        assert (response.status_code, response.json()["code"]) == (503, "link_unavailable")
        assert int(response.headers["retry-after"]) > 0


async def test_the_leg_stays_within_its_tenant(
    http: httpx2.AsyncClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    other_tenant: TenantClient,
    settings: ControlPlaneSettings,
    call: dict[str, Any],
) -> None:
    """A token that names another tenant's call finds no call, even when it is well signed."""
    await worker.claim()
    await catch_up(consumer)
    token = encode_access(
        RoomAccess(
            participant_id=UUID(call["participants"][0]["id"]),
            call_id=UUID(call["id"]),
            tenant_id=other_tenant.tenant_id,
        ),
        settings.secret_key,
        datetime.now(UTC),
        timedelta(hours=1),
    )
    response = await post_offer(http, call, Authorization=f"Bearer {token}")
    assert response.status_code == 404


async def test_a_participant_gets_turn_credentials_that_are_made_for_the_call(
    app: FastAPI, settings: ControlPlaneSettings, http: httpx2.AsyncClient, call: dict[str, Any]
) -> None:
    url = call["participants"][0]["access"]["url"] + "/ice-servers"
    plain = await http.get(url, headers=access_headers(call))
    assert plain.json() == {"ice_servers": [{"urls": ["stun:stun.example.net"]}]}

    app.state.settings = settings.model_copy(
        update={
            "ice_servers": (*settings.ice_servers, "turn:turn.example.net"),
            "turn_secret": "shared-with-coturn",
        }
    )
    answer = await http.get(url, headers=access_headers(call))
    assert answer.headers["cache-control"] == "no-store"
    _, relay = answer.json()["ice_servers"]
    expiry, _, named = relay["username"].partition(":")
    assert (relay["urls"], named) == (["turn:turn.example.net"], call["id"])
    assert int(expiry) > time.time() + LONGEST_CALL_SECONDS
    assert relay["credential"] == password_of(relay["username"], "shared-with-coturn")
    assert "shared-with-coturn" not in answer.text
    assert (await http.get(url)).status_code == 401


async def test_a_call_that_is_over_gets_no_turn_credentials(
    http: httpx2.AsyncClient, tenant: TenantClient, call: dict[str, Any]
) -> None:
    assert (await tenant.post(f"/v1/calls/{call['id']}/end")).status_code == 200
    url = call["participants"][0]["access"]["url"] + "/ice-servers"
    response = await http.get(url, headers=access_headers(call))
    assert (response.status_code, response.json()["code"]) == (410, "call_over")


async def test_a_call_that_does_not_exist_gets_no_turn_credentials(
    http: httpx2.AsyncClient, settings: ControlPlaneSettings, call: dict[str, Any]
) -> None:
    """A token that names another tenant finds no call, even when it is well signed."""
    participant = call["participants"][0]["access"]
    access = decode_access(participant["token"], settings.secret_key)
    stranger = replace(access, tenant_id=uuid4())
    token = encode_access(stranger, settings.secret_key, datetime.now(UTC), timedelta(hours=1))
    response = await http.get(
        participant["url"] + "/ice-servers", headers={"Authorization": f"Bearer {token}"}
    )
    assert (response.status_code, response.json()["code"]) == (404, "call_not_found")


async def test_an_offer_that_arrives_after_a_later_one_of_its_client_is_refused(
    http: httpx2.AsyncClient, worker: FakeWorker, call: dict[str, Any]
) -> None:
    await worker.claim()

    async def joined(order: str) -> int:
        await worker.redis.delete(redis_names.worker_commands(worker.worker_id))
        response, _ = await asyncio.gather(
            post_offer(http, call, **{"Offer-Order": order}),
            answered(worker, LegAnswered(sdp=ANSWER)),
        )
        return response.status_code

    assert await joined("page/2") == 201
    for late in ("page/1", "page/2"):
        response = await post_offer(http, call, **{"Offer-Order": late})
        assert (response.status_code, response.json()["code"]) == (409, "offer_replaced")
    assert await joined("page-loaded-again/1") == 201
    assert await joined("page/3") == 201


@pytest.mark.parametrize("order", ["", "1", "page/0", "page/-1", "pa ge/1", "p/1234567890"])
async def test_an_order_of_another_form_is_refused(
    http: httpx2.AsyncClient, call: dict[str, Any], order: str
) -> None:
    response = await post_offer(http, call, **{"Offer-Order": order})
    assert response.status_code == 400
    assert "offer-order" in response.text.lower()
