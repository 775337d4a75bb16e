"""Server-sent events, however their bytes arrive."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from switchboard_client.server_sent_events import EventParser, ServerSentEvent

STREAM = (
    "\ufeff: keep-alive\n\nretry: 250\n\nevent: state\ndata: {}\n\n"
    "event: transcript\r\ndata: Grüß\r\ndata: dich\r\nid: 7-0\r\n\r\n"
    "data:plain\rid: 8-0\r\rnonsense\nid: a\0b\nretry: soon\n\ndata: never finished"
).encode()
EVENTS = [
    ServerSentEvent("state", "{}", None),
    ServerSentEvent("transcript", "Grüß\ndich", "7-0"),
    ServerSentEvent("message", "plain", "8-0"),
]


def test_events_are_read_as_the_standard_says() -> None:
    parser = EventParser()
    assert parser.feed(STREAM) == EVENTS
    assert (parser.last_id, parser.retry_ms) == ("8-0", 250)


@given(cuts=st.lists(st.integers(0, len(STREAM))))
def test_it_does_not_matter_where_the_bytes_are_cut(cuts: list[int]) -> None:
    parser = EventParser()
    places = [0, *sorted(cuts), len(STREAM)]
    found = [event for start, end in pairwise(places) for event in parser.feed(STREAM[start:end])]
    assert found == EVENTS
