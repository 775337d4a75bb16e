from __future__ import annotations

from uuid import UUID

from contracts.events import EventEnvelope
from control_plane.calling.calls.events.consumer import SWEEP_INTERVAL_SECONDS
from control_plane.calling.calls.events.unreadable_events import (
    PATIENCE_SECONDS,
    REMEMBERED_SECONDS,
    UnreadableEvents,
)
from control_plane.money.billing.reserve import RESERVE_AHEAD_MS
from runtime.call.billable_time import METERED_EVERY_SECONDS


def envelope(seq: int) -> EventEnvelope:
    return EventEnvelope(call_id=UUID(int=1), tenant_id=UUID(int=2), seq=seq)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_an_event_is_counted_once_and_left_to_others_for_a_while() -> None:
    clock = Clock()
    events = UnreadableEvents(clock)
    assert events.is_new(envelope(1))
    assert events.is_left(envelope(1))
    clock.now = PATIENCE_SECONDS
    assert not events.is_new(envelope(1))
    assert not events.is_left(envelope(1))
    assert events.is_new(envelope(2))
    assert events.is_left(envelope(2))
    assert events.count == 2


def test_an_event_is_remembered_only_while_it_may_come_again() -> None:
    clock = Clock()
    events = UnreadableEvents(clock)
    events.is_new(envelope(1))
    clock.now = REMEMBERED_SECONDS
    events.is_new(envelope(2))
    assert events.is_new(envelope(1))


def test_the_wait_is_over_before_a_call_uses_up_its_reserve() -> None:
    longest_ms = (METERED_EVERY_SECONDS + PATIENCE_SECONDS + SWEEP_INTERVAL_SECONDS) * 1000
    assert longest_ms < RESERVE_AHEAD_MS
