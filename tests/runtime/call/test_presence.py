"""The connected time of a call: exact, however its legs come, fall silent, come back and leave."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

import pytest

from runtime.call.presence import Presence

TICK_MS = 20
LEGS = (UUID(int=1), UUID(int=2), UUID(int=3))
NOTICED_MS = (2_500, 3_000)
"""After so long without a packet a leg counts as interrupted."""


@dataclass
class Clock:
    now_ms: int = 0

    def __call__(self) -> float:
        return self.now_ms / 1000


@dataclass(frozen=True)
class Event:
    at_ms: int
    leg: UUID
    kind: str
    silent_ms: int = 0


@dataclass(frozen=True)
class Leg:
    """Times at which it is heard, and what is noticed of it."""

    heard_ms: list[tuple[int, int]]
    events: list[Event]


def leg(participant_id: UUID, chance: random.Random) -> Leg:
    """It comes, falls silent for up to ten seconds once or twice, and leaves. Nobody notices a
    muted microphone or a short gap: packets come all the same, or come again soon."""
    heard, events = [], []
    at_ms = chance.randrange(0, 20_000, TICK_MS)
    events.append(Event(at_ms, participant_id, "joined"))
    for _ in range(chance.randrange(0, 3)):
        silent_at_ms = at_ms + chance.randrange(1_000, 20_000, TICK_MS)
        noticed_ms = chance.randrange(*NOTICED_MS, TICK_MS)
        back_at_ms = silent_at_ms + chance.randrange(noticed_ms, 10_000, TICK_MS)
        heard.append((at_ms, silent_at_ms))
        noticed_at_ms = silent_at_ms + noticed_ms
        events.append(Event(noticed_at_ms, participant_id, "interrupted", noticed_ms))
        events.append(Event(back_at_ms, participant_id, "joined"))
        at_ms = back_at_ms
    left_at_ms = at_ms + chance.randrange(TICK_MS, 20_000, TICK_MS)
    heard.append((at_ms, left_at_ms))
    events.append(Event(left_at_ms, participant_id, "left"))
    return Leg(heard, events)


def ticks(spans_ms: list[tuple[int, int]]) -> Iterator[int]:
    for begin_ms, end_ms in spans_ms:
        yield from range(begin_ms, end_ms, TICK_MS)


def metered_ms(events: list[Event]) -> int | None:
    clock = Clock()
    presence = Presence(clock, clock)
    for event in sorted(events, key=lambda each: each.at_ms):
        clock.now_ms = event.at_ms
        match event.kind:
            case "joined":
                presence.joined(event.leg)
            case "interrupted":
                presence.interrupted(event.leg, event.silent_ms / 1000)
            case "left":
                presence.left(event.leg)
    presence.over()
    return presence.connected_ms


@pytest.mark.parametrize("seed", range(100))
def test_each_moment_in_which_somebody_is_heard_counts_once(seed: int) -> None:
    chance = random.Random(seed)
    legs = [leg(each, chance) for each in LEGS[: chance.randrange(1, 4)]]
    heard = {tick for each in legs for tick in ticks(each.heard_ms)}
    counted_ms = metered_ms([event for each in legs for event in each.events])
    assert counted_ms is not None
    assert abs(counted_ms - len(heard) * TICK_MS) < TICK_MS


def test_who_was_here_while_another_fell_silent_counts_until_they_left() -> None:
    first, second, _ = LEGS
    counted_ms = metered_ms(
        [
            Event(0, first, "joined"),
            Event(0, second, "joined"),
            Event(10_000, second, "left"),
            # Its last packet came a second earlier.
            Event(11_500, first, "interrupted", 2_500),
        ]
    )
    assert counted_ms == 10_000
