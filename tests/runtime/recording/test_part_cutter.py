from __future__ import annotations

import numpy as np
import pytest

from runtime.media.room import HeardFrames, Samples
from runtime.recording.part_cutter import Part, PartCutter


def heard(index: int, *people: int, agent: int = 0) -> HeardFrames:
    """Frames whose samples all have the given level."""
    return HeardFrames(index, [level(each, 960) for each in people], level(agent, 480))


def level(value: int, samples: int) -> Samples:
    return np.full(samples, value, np.int16)


def levels(part: Part) -> list[tuple[int | None, int | None]]:
    def of(frame: Samples | None) -> int | None:
        return None if frame is None else int(frame[0])

    return [(of(people), of(agent)) for people, agent in zip(part.people, part.agent, strict=True)]


def test_a_part_is_complete_when_the_next_one_begins() -> None:
    cutter = PartCutter(part_ms=60)
    assert [cutter.push(frame, heard(frame, frame)) for frame in range(3)] == [None] * 3
    part = cutter.push(3, heard(3, 3))
    assert part is not None
    assert (part.starts_at_ms, part.ends_at_ms) == (0, 60)
    assert [people for people, _ in levels(part)] == [0, 1, 2]


def test_the_first_part_begins_where_the_recording_does() -> None:
    cutter = PartCutter()
    cutter.push(150, heard(7, 1))
    part = cutter.cut()
    assert part is not None
    assert (part.starts_at_ms, part.ends_at_ms) == (3000, 3020)


def test_after_a_standstill_people_are_complete_and_the_agent_was_silent() -> None:
    cutter = PartCutter()
    cutter.push(0, heard(0, 1, agent=9))
    cutter.push(3, heard(3, 2, 3, 4, agent=9))
    part = cutter.cut()
    assert part is not None
    assert levels(part) == [(1, 9), (2, None), (3, None), (4, 9)]


def test_what_was_not_made_up_for_is_a_gap() -> None:
    cutter = PartCutter()
    cutter.push(0, heard(0, 1))
    cutter.push(3, heard(3, 2))
    part = cutter.cut()
    assert part is not None
    assert [people for people, _ in levels(part)] == [1, None, None, 2]


def test_what_was_said_before_the_recording_is_not_in_it() -> None:
    cutter = PartCutter()
    cutter.push(5, heard(5, 1, 2, 3))
    part = cutter.cut()
    assert part is not None
    assert levels(part) == [(3, 0)]


def test_a_pause_longer_than_a_part_lies_between_parts() -> None:
    cutter = PartCutter(part_ms=60)
    cutter.push(0, heard(0, 1))
    before = cutter.push(500, heard(500, 2))
    after = cutter.cut()
    assert before is not None
    assert after is not None
    assert (before.starts_at_ms, before.ends_at_ms) == (0, 20)
    assert (after.starts_at_ms, after.ends_at_ms) == (10_000, 10_020)


def test_there_is_nothing_to_cut_twice() -> None:
    cutter = PartCutter()
    cutter.push(0, heard(0, 1))
    assert cutter.cut() is not None
    assert cutter.cut() is None


@pytest.mark.parametrize(
    ("frame", "people", "before", "after"),
    [
        (6, (1, 2, 3, 4, 5, 6), [(9, 9), (1, None), (2, None), (3, None)], [4, 5, 6]),
        (4, (1, 2, 3, 4), [(9, 9), (1, None), (2, None), (3, None)], [4]),
        (6, (4, 5, 6), [(9, 9)], [4, 5, 6]),
        (6, (3, 4, 5, 6), [(9, 9), (None, None), (None, None), (3, None)], [4, 5, 6]),
        (7, (6, 7), [(9, 9)], [6, 7]),
    ],
)
def test_a_late_tick_that_crosses_the_end_of_a_part_goes_into_both(
    frame: int,
    people: tuple[int, ...],
    before: list[tuple[int | None, int | None]],
    after: list[int],
) -> None:
    cutter = PartCutter(part_ms=80)
    cutter.push(0, heard(0, 9, agent=9))
    complete = cutter.push(frame, heard(frame, *people, agent=8))
    part = cutter.cut()
    assert complete is not None
    assert part is not None
    assert levels(complete) == before
    assert [person for person, _ in levels(part)] == after
    assert [agent for _, agent in levels(part)] == [None] * (len(after) - 1) + [8]
    assert part.ends_at_ms == (frame + 1) * 20
