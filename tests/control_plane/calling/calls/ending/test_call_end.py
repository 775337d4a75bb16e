from __future__ import annotations

import pytest

from control_plane.calling.calls.ending.call_end import billed_position_ms


@pytest.mark.parametrize(
    ("has_started", "metered_ms", "media_ms", "expected"),
    [
        (False, None, None, None),
        (True, None, None, 0),
        (True, 5_000, None, 5_000),
        (True, 5_000, 9_300, 9_300),
        (True, 10_000, 9_300, 10_000),
        (False, None, 700, 700),
    ],
)
def test_a_lost_call_is_billed_to_the_furthest_known_position(
    has_started: bool, metered_ms: int | None, media_ms: int | None, expected: int | None
) -> None:
    assert billed_position_ms(has_started, metered_ms, media_ms) == expected
