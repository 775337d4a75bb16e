"""What both clients send, when they send it again, and what they make of answers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest

from control_plane.building.agent_builder.platform_model import DEADLINE_SECONDS
from control_plane.calling.chat_sessions.lifetime import HOLD
from switchboard_client import ApiError, ServerUnreachable, UnexpectedAnswer
from switchboard_client.client import TIMEOUT_SECONDS
from switchboard_client.models import CallCreated, CallQueued, ParticipantInput
from switchboard_client.problems import AgentNotFound, InsufficientCredits, InvalidRequest
from switchboard_client.request import Reply
from tests.clients.stand_in import SERVER, StandIn, answer, awaited, blocking, problem

ID = UUID("0b4f6a5e-93f0-4c5e-8d4e-2d9b6c1f7a10")
CREATED = {
    "id": str(ID),
    "room_name": "call-1",
    "status": "connecting",
    "participants": [],
    "agent": {"id": str(uuid4()), "name": "Mia"},
}
ENDED = {"status": "ended", "id": str(ID), "message": "Over."}

Client = Callable[[StandIn], Any]
pytestmark = pytest.mark.parametrize("client", [blocking, awaited], ids=["blocking", "awaited"])


def test_a_request_carries_the_key_and_what_was_given(client: Client) -> None:
    api = StandIn([answer(201, CREATED)])
    participant = ParticipantInput(transport="webrtc", identity="ada")
    created = client(api).calls.create(ID, [participant], variables={"day": "Friday"})
    assert isinstance(created, CallCreated)
    assert created.id == ID
    assert created.agent.name == "Mia"
    [sent] = api.requests
    assert (sent.method, str(sent.url)) == ("POST", f"{SERVER}/v1/calls")
    assert sent.headers["Authorization"] == "Bearer k"
    assert api.bodies == [
        {
            "agent_id": str(ID),
            "participants": [{"transport": "webrtc", "identity": "ada"}],
            "variables": {"day": "Friday"},
        }
    ]


def test_a_call_with_a_phone_in_it_is_queued(client: Client) -> None:
    phone = {"id": str(ID), "role": "callee", "transport": "pstn", "identity": "+14155550123"}
    phone |= {"from_number": "+14155550100", "metadata": {}}
    waits = {"status": "queued", "access": None, "telephony_leg_id": str(ID), "job_id": str(ID)}
    queued = {"id": str(ID), "room_name": "r", "status": "queued", "participants": [phone | waits]}
    made = client(StandIn([answer(202, queued)])).calls.create(ID, [])
    assert isinstance(made, CallQueued)
    assert made.participants[0].job_id == ID


def test_a_call_is_made_once_however_often_it_is_sent(client: Client) -> None:
    lost = httpx2.ReadError("connection reset")
    api = StandIn([lost, answer(503), answer(201, CREATED)])
    client(api).calls.create(ID, [{"transport": "webrtc", "identity": "ada"}])
    [key] = set(api.keys())
    assert key is not None
    assert len(api.requests) == 3


def test_each_call_has_a_key_of_its_own(client: Client) -> None:
    api = StandIn([answer(201, CREATED)])
    for _ in range(2):
        client(api).calls.create(ID, [])
    assert len(set(api.keys())) == 2


def test_a_program_may_give_the_key_itself(client: Client) -> None:
    api = StandIn([answer(201, CREATED)])
    client(api).calls.create(ID, [], idempotency_key="order-17")
    assert api.keys() == ["order-17"]


def test_what_has_no_key_is_not_repeated_when_its_answer_is_lost(client: Client) -> None:
    api = StandIn([httpx2.ReadError("reset"), answer(200, ENDED)])
    with pytest.raises(ServerUnreachable, match="reset"):
        client(api).calls.end(ID)
    assert len(api.requests) == 1


@pytest.mark.parametrize(
    "removed",
    [
        lambda api: api.agents.remove(ID),
        lambda api: api.agents.remove_chat(ID, ID),
        lambda api: api.billing.remove_payment_method(ID),
        lambda api: api.carriers.remove(ID),
        lambda api: api.knowledge.remove(ID, ID),
        lambda api: api.sharing.revoke(ID, ID),
        lambda api: api.webhooks.remove(ID),
        lambda api: api.request("DELETE", f"/v1/agents/{ID}"),
    ],
)
def test_what_is_not_found_after_a_lost_answer_is_deleted(
    client: Client, removed: Callable[[Any], Any]
) -> None:
    gone = problem(404, "agent_not_found")
    losses: list[httpx2.Response | Exception] = [httpx2.ReadError("reset"), answer(504)]
    for lost in losses:
        removed(client(StandIn([lost, gone])))
    never_seen = httpx2.ConnectError("refused")
    with pytest.raises(AgentNotFound):
        removed(client(StandIn([never_seen, answer(429), gone])))


def test_what_is_read_after_a_lost_answer_may_not_be_found(client: Client) -> None:
    api = StandIn([httpx2.ReadError("reset"), problem(404, "agent_not_found")])
    with pytest.raises(AgentNotFound):
        client(api).agents.show(ID)


def test_a_server_that_is_just_starting_is_waited_for(client: Client) -> None:
    api = StandIn([httpx2.ConnectError("refused"), answer(200, ENDED)])
    assert client(api).calls.end(ID).message == "Over."


@pytest.mark.parametrize(
    ("asked", "least_seconds"),
    [
        (lambda api: api.agents.generate({"prompt": "A receptionist."}), DEADLINE_SECONDS),
        (lambda api: api.agents.say(ID, ID, "Hello."), HOLD.total_seconds()),
    ],
    ids=["generate", "say"],
)
def test_an_answer_that_a_language_model_writes_is_waited_for(
    client: Client, asked: Callable[[Any], Any], least_seconds: float
) -> None:
    api = StandIn([problem(404, "agent_not_found")])
    with pytest.raises(AgentNotFound):
        asked(client(api))
    with pytest.raises(AgentNotFound):
        client(api).agents.show(ID)
    written, read = (request.extensions["timeout"] for request in api.requests)
    assert written["read"] > least_seconds
    assert read["read"] == TIMEOUT_SECONDS
    assert written["connect"] == read["connect"]


def test_a_server_that_never_answers_is_named(client: Client) -> None:
    api = StandIn([httpx2.ConnectError("refused")])
    with pytest.raises(ServerUnreachable) as failure:
        client(api).calls.show(ID)
    assert failure.value.server == SERVER
    assert len(api.requests) == 3


def test_a_refusal_is_an_error_of_its_codes_class(client: Client) -> None:
    api = StandIn([problem(404, "agent_not_found", request_id="r-1")])
    with pytest.raises(AgentNotFound) as refused:
        client(api).agents.show(ID)
    error = refused.value
    assert (error.status, error.code, error.detail) == (404, "agent_not_found", "agent_not_found!")
    assert error.request_id == "r-1"


def test_a_quota_says_how_much_of_it_is_used(client: Client) -> None:
    api = StandIn([problem(402, "insufficient_credits", limit=5, used=4.5)])
    with pytest.raises(InsufficientCredits) as refused:
        client(api).calls.create(ID, [])
    assert (refused.value.limit, refused.value.used) == (5, 4.5)


def test_an_invalid_request_says_which_fields_are_wrong(client: Client) -> None:
    wrong = [{"field": "participants[0].identity", "message": "is missing"}]
    api = StandIn([problem(400, "invalid_request", errors=wrong)])
    with pytest.raises(InvalidRequest) as refused:
        client(api).calls.create(ID, [{"transport": "webrtc"}])
    assert refused.value.errors == wrong


def test_a_code_of_the_future_is_still_an_error(client: Client) -> None:
    api = StandIn([problem(418, "teapot")])
    with pytest.raises(ApiError) as refused:
        client(api).calls.show(ID)
    assert (type(refused.value), refused.value.code) == (ApiError, "teapot")


def test_a_proxys_page_is_an_error_without_a_code(client: Client) -> None:
    api = StandIn([httpx2.Response(500, text="<h1>Oops</h1>")])
    with pytest.raises(ApiError, match="The server answered 500") as refused:
        client(api).calls.show(ID)
    assert refused.value.code is None


def test_a_server_that_has_moved_says_where_to(client: Client) -> None:
    """As a proxy does that takes requests without TLS only to send them on."""
    moved = httpx2.Response(308, headers={"Location": "https://switchboard.test/v1/calls?key=s"})
    with pytest.raises(ApiError) as refused:
        client(StandIn([moved])).calls.show(ID)
    assert refused.value.detail == (
        "The server answered 308: this is at https://switchboard.test/v1/calls. "
        "Use the address of that server."
    )


def test_an_exhausted_limit_says_when_to_come_again(client: Client) -> None:
    api = StandIn([answer(429, {"code": "rate_limited"}, Retry_After="60")])
    with pytest.raises(ApiError) as refused:
        client(api).calls.show(ID)
    assert refused.value.retry_after_seconds == 60
    assert len(api.requests) == 1


@pytest.mark.parametrize(
    "other", [httpx2.Response(200, text="<h1>Hello</h1>"), answer(200, {"hello": "world"})]
)
def test_another_service_at_the_address_is_noticed(client: Client, other: httpx2.Response) -> None:
    with pytest.raises(UnexpectedAnswer):
        client(StandIn([other])).calls.end(ID)


def test_an_answer_that_cannot_be_decoded_is_an_error_of_the_client(client: Client) -> None:
    """As of a proxy that compresses, and breaks off."""
    api = StandIn([httpx2.DecodingError("incorrect header check")])
    with pytest.raises(ServerUnreachable, match="incorrect header check"):
        client(api).calls.show(ID)


def test_members_that_are_new_in_the_api_are_kept(client: Client) -> None:
    api = StandIn([answer(200, ENDED | {"mood": "fine"})])
    assert client(api).calls.end(ID).model_dump()["mood"] == "fine"


def test_an_id_never_becomes_another_path(client: Client) -> None:
    api = StandIn([problem(404, "call_not_found")])
    with pytest.raises(ApiError):
        client(api).calls.show("../api-keys?x=")
    assert api.requests[0].url.raw_path == b"/v1/calls/..%2Fapi-keys%3Fx%3D"


def test_any_route_can_be_asked_for_its_plain_document(client: Client) -> None:
    api = StandIn([answer(200, {"entries": []})])
    said = client(api).request("GET", "/v1/audit-log", query={"limit": 5, "since": None})
    assert said == {"entries": []}
    assert str(api.requests[0].url) == f"{SERVER}/v1/audit-log?limit=5"


@pytest.mark.parametrize(
    ("path", "query", "sent"),
    [
        ("/v1/audit-log?limit=5", None, "/v1/audit-log?limit=5"),
        ("/v1/audit-log?limit=5", {"offset": 10}, "/v1/audit-log?limit=5&offset=10"),
    ],
)
def test_a_query_in_the_path_of_any_route_is_sent(
    client: Client, path: str, query: dict[str, object] | None, sent: str
) -> None:
    api = StandIn([answer(200, {"entries": []})])
    client(api).request("GET", path, query=query)
    assert str(api.requests[0].url) == f"{SERVER}{sent}"


def test_a_wait_may_be_asked_for_as_a_date(client: Client) -> None:
    reply = Reply(503, {"retry-after": "Sat, 21 Nov 2026 10:00:30 GMT"}, b"")
    assert reply.retry_after_seconds(datetime(2026, 11, 21, 10, tzinfo=UTC)) == 30
    assert Reply(503, {"retry-after": "soon"}, b"").retry_after_seconds(datetime.now(UTC)) is None
