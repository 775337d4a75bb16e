"""The signalling of a media session, when another service answers at its address."""

from __future__ import annotations

import time
from functools import partial
from typing import Any, cast

import httpx2
import pytest

from switchboard_client import UnexpectedAnswer
from switchboard_client.webrtc import leg as leg_module
from switchboard_client.webrtc.leg import CallLeg
from switchboard_client.webrtc.whip import IceServer, WhipSession
from tests.clients.stand_in import SERVER, StandIn, answer

PAGE = httpx2.Response(200, html="<p>Welcome</p>")
SDP = {"Content-Type": "application/sdp", "Location": "/v1/rtc/legs/1"}


def session(monkeypatch: pytest.MonkeyPatch, *answers: httpx2.Response) -> WhipSession:
    transport = httpx2.MockTransport(StandIn(answers))
    monkeypatch.setattr(httpx2, "AsyncClient", partial(httpx2.AsyncClient, transport=transport))
    return WhipSession(f"{SERVER}/v1/rtc", "token")


@pytest.mark.parametrize(
    "other",
    [
        PAGE,
        answer(200, {}),
        answer(200, ["a"]),
        answer(200, {"ice_servers": None}),
        answer(200, {"ice_servers": [{"username": "mia"}]}),
        answer(200, {"ice_servers": ["stun:a"]}),
    ],
    ids=lambda other: other.text,
)
async def test_servers_that_are_not_those_of_switchboard_are_an_unexpected_answer(
    other: httpx2.Response, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UnexpectedAnswer):
        await session(monkeypatch, other).ice_servers()


async def test_the_servers_of_switchboard_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    turn = {"urls": ["turn:b"], "username": "u", "credential": "c", "new": 1}
    plain = {"urls": ["stun:a"], "username": None, "credential": None}
    whip = session(monkeypatch, answer(200, {"ice_servers": [plain, turn]}))
    assert await whip.ice_servers() == (IceServer(("stun:a",)), IceServer(("turn:b",), "u", "c"))


@pytest.mark.parametrize(
    "other",
    [
        PAGE,
        answer(201, {"id": 7}, Location="/things/7"),
        httpx2.Response(201, text="v=0", headers=SDP | {"Location": "http://[nobody"}),
    ],
    ids=["a page", "a thing made", "a broken address"],
)
async def test_an_answer_to_an_offer_that_is_no_sdp_is_unexpected(
    other: httpx2.Response, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UnexpectedAnswer):
        await session(monkeypatch, other).exchange("v=0")


async def test_the_answer_of_switchboard_is_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    made = httpx2.Response(201, text="v=0\r\n", headers=SDP)
    assert await session(monkeypatch, made).exchange("v=0") == "v=0\r\n"


class Replaced:
    """A connection whose first offer meets a page of a proxy."""

    def __init__(self) -> None:
        self.heard_at = time.monotonic()
        self.offers = 0

    async def open(self, whip: WhipSession, timeout_seconds: float) -> float:
        self.offers += 1
        if self.offers == 1:
            raise UnexpectedAnswer("a page")
        return self.heard_at

    def stop_sending(self) -> None: ...

    async def close(self) -> None: ...


async def test_a_page_of_a_proxy_does_not_end_reconnecting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leg_module, "_WAITS_SECONDS", [0.0])
    connection: Any = Replaced()
    leg = CallLeg(cast("Any", None))
    monkeypatch.setattr(leg, "_new_connection", lambda: connection)
    assert await leg._reconnect(WhipSession(SERVER, "token"), connection)
    assert connection.offers == 2
