"""Watching a call through connections that break."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from switchboard_client import LiveEvent, StreamLost
from switchboard_client.live_view import MOST_LOSSES
from switchboard_client.models import AgentState, CallState, Utterance
from switchboard_client.problems import CallNotFound
from tests.clients.stand_in import StandIn, awaited, blocking, problem

ID = uuid4()
Client = Callable[[StandIn], Any]
pytestmark = pytest.mark.parametrize("client", [blocking, awaited], ids=["blocking", "awaited"])


def stream(*events: str) -> httpx2.Response:
    text = "retry: 0\n\n" + "".join(f"{event}\n\n" for event in events)
    return httpx2.Response(200, text=text, headers={"Content-Type": "text/event-stream"})


def said(number: int) -> str:
    data = f'{{"utterance":{number},"sequence":{number},"speaker":"agent","text":"Hello",'
    return f'event: transcript\ndata: {data}"is_final":true,"at_ms":5}}\nid: {number}-0'


RUNNING = 'event: state\ndata: {"subject":"call","state":"in_progress","end_reason":null}'
THINKS = 'event: state\ndata: {"subject":"agent","state":"thinking"}\nid: 2-0'
OVER = 'event: state\ndata: {"subject":"call","state":"completed","end_reason":"x"}\nid: end'


def watched(client: Client, api: StandIn, **options: Any) -> list[LiveEvent]:
    return list(client(api).calls.stream(ID, **options))


def resumed_after(api: StandIn) -> list[str | None]:
    return [request.headers.get("Last-Event-ID") for request in api.requests]


def test_events_come_with_their_models_until_the_call_ends(client: Client) -> None:
    api = StandIn([stream(RUNNING, said(1), THINKS, OVER)])
    found = watched(client, api)
    assert [type(each.data) for each in found] == [CallState, Utterance, AgentState, CallState]
    assert [each.id for each in found] == [None, "1-0", "2-0", "end"]
    assert len(api.requests) == 1


def test_a_broken_connection_goes_on_after_the_last_event(client: Client) -> None:
    api = StandIn([stream(RUNNING, said(1)), httpx2.ReadError("reset"), stream(RUNNING, OVER)])
    found = watched(client, api)
    assert [each.name for each in found] == ["state", "transcript", "state", "state"]
    assert resumed_after(api) == [None, "1-0", "1-0"]


def test_an_event_that_was_cut_in_two_comes_again(client: Client) -> None:
    whole = stream(RUNNING, said(1), said(2))
    cut = httpx2.Response(200, text=whole.text.removesuffix("\n"), headers=whole.headers)
    api = StandIn([cut, stream(said(2), OVER)])
    found = watched(client, api)
    assert resumed_after(api) == [None, "1-0"]
    assert [each.id for each in found] == [None, "1-0", "2-0", "end"]


def test_a_server_that_restarts_is_waited_for(client: Client) -> None:
    unavailable = httpx2.Response(503, headers={"Retry-After": "0"})
    api = StandIn([stream(said(1)), unavailable, stream(OVER)])
    assert len(watched(client, api)) == 2


def test_nothing_more_to_come_ends_it(client: Client) -> None:
    api = StandIn([stream(said(1)), httpx2.Response(204)])
    assert len(watched(client, api)) == 1


def test_what_was_said_so_far_can_be_all(client: Client) -> None:
    api = StandIn([stream(RUNNING, said(1))])
    assert len(watched(client, api, follow=False)) == 2
    assert str(api.requests[0].url).endswith("/stream?follow=false")


def test_a_viewer_may_begin_where_another_has_stopped(client: Client) -> None:
    api = StandIn([stream(OVER)])
    watched(client, api, after="7-0")
    assert resumed_after(api) == ["7-0"]


def test_a_refusal_is_not_tried_again(client: Client) -> None:
    api = StandIn([problem(404, "call_not_found")])
    with pytest.raises(CallNotFound):
        watched(client, api)
    assert len(api.requests) == 1


def test_connections_that_bring_nothing_are_given_up(client: Client) -> None:
    api = StandIn([stream(said(1)), stream()])
    with pytest.raises(StreamLost) as lost:
        watched(client, api)
    assert lost.value.last_id == "1-0"
    assert len(api.requests) == 1 + MOST_LOSSES


def test_events_of_the_future_come_as_plain_documents(client: Client) -> None:
    mood = 'event: mood\ndata: {"of":"caller"}'
    moved = 'event: state\ndata: {"subject":"weather","state":"rain"}'
    found = watched(client, StandIn([stream(mood, moved, OVER)]))
    assert [each.data for each in found[:2]] == [
        {"of": "caller"},
        {"subject": "weather", "state": "rain"},
    ]
