from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

import pytest

from contracts.end_reasons import EndReason
from contracts.events import CallEnded, CallEvent, Logged
from control_plane.calling.calls.events.envelope import ReceivedEvent, Unreadable, read_entry
from control_plane.calling.reaper.arriving_ends import ArrivingEnds
from link.stream_entry import StreamEntry

CALL, OTHER = UUID(int=1), UUID(int=2)
END = 5


def entry(seq: int, call_id: UUID = CALL) -> StreamEntry:
    """An event like any other, or the call's end where ``seq`` is ``END``."""
    ended = CallEnded(end_reason=EndReason.NORMAL_HANGUP, connected_ms=1_000)
    event = CallEvent(
        call_id=call_id,
        tenant_id=UUID(int=9),
        seq=seq,
        occurred_at=datetime(2026, 1, 1, tzinfo=UTC),
        worker_id="worker",
        body=ended if seq == END else Logged(level="info", message="line"),
    )
    return StreamEntry(f"{seq}-0", event.model_dump_json())


def told_of(entries: Sequence[StreamEntry]) -> ArrivingEnds:
    ends = ArrivingEnds()
    for each in entries:
        ends.add(read_entry(each))
    return ends


@pytest.mark.parametrize(
    ("applied_seq", "waiting", "is_on_its_way"),
    [
        (2, (3, 4, END), True),
        (4, (END,), True),
        (2, (END, 3, 4, 3), True),
        (2, (4, END), False),
        (0, (2, 3, 4, END), False),
        (2, (3, 4), False),
    ],
)
def test_without_a_lease_an_end_counts_when_nothing_before_it_is_missing(
    applied_seq: int, waiting: tuple[int, ...], is_on_its_way: bool
) -> None:
    ends = told_of([entry(seq) for seq in waiting])
    assert (CALL in ends.on_their_way({CALL: applied_seq}, ())) is is_on_its_way


def test_a_worker_that_is_alive_ships_again_what_is_missing() -> None:
    assert told_of([entry(END)]).on_their_way({CALL: 2}, {CALL}) == {CALL}


def test_another_calls_events_fill_no_gap_and_other_ends_do_not_matter() -> None:
    ends = told_of([entry(3, OTHER), entry(4), entry(END), entry(END, OTHER)])
    assert ends.on_their_way({CALL: 2}, ()) == frozenset()


def test_an_event_with_a_body_that_nobody_understands_leaves_no_gap() -> None:
    strange = StreamEntry("4-0", entry(4).document.replace('"message"', '"from_the_future"'))
    received = read_entry(strange)
    assert isinstance(received, ReceivedEvent)
    assert received.event is None
    ends = told_of([entry(3), strange, entry(END)])
    assert ends.on_their_way({CALL: 2}, ()) == {CALL}


def test_what_cannot_be_read_at_all_is_passed_over() -> None:
    garbage = StreamEntry("1-0", "garbage")
    assert isinstance(read_entry(garbage), Unreadable)
    assert told_of([garbage, entry(3), entry(4), entry(END)]).on_their_way({CALL: 2}, ()) == {CALL}
