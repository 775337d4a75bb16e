from __future__ import annotations

import pytest

from bench.vendors.random_faults import Fault
from tests.soak.verdict import NOTICED_SECONDS, REMEMBERED_SECONDS, Warned, grown, unexplained

FAULT = Fault("openai", "500", at=1_000.0)
SWITCH = "llm: openai/gpt-4.1-nano took over from openai/gpt-4.1-mini after 12 ms: it answered 500"
PASSED_OVER = (
    "llm: openai/gpt-4.1-nano took over from openai/gpt-4.1-mini after 0 ms: "
    "it failed in another call a moment ago"
)


def warned(message: str, seconds: float) -> Warned:
    return Warned("call", message, FAULT.at + seconds)


@pytest.mark.parametrize(
    "warning",
    [warned(SWITCH, 0.1), warned(SWITCH, NOTICED_SECONDS), warned(PASSED_OVER, REMEMBERED_SECONDS)],
)
def test_a_switch_soon_after_a_fault_is_explained(warning: Warned) -> None:
    assert unexplained([warning], [FAULT]) == []


@pytest.mark.parametrize(
    "warning",
    [
        warned(SWITCH, -1.0),
        warned(SWITCH, NOTICED_SECONDS + 1),
        warned(SWITCH.replace("from openai", "from deepgram"), 0.1),
        warned("something else", 0.1),
    ],
)
def test_a_warning_without_a_fault_is_not(warning: Warned) -> None:
    assert unexplained([warning], [FAULT]) == [warning]


def test_memory_that_settles_and_stays_is_flat() -> None:
    assert grown({"worker-1": [300, 380, *[400, 402, 398, 401] * 7]}) == []


def test_memory_that_goes_on_growing_is_told() -> None:
    assert grown({"worker-1": [400 + 3 * minute for minute in range(30)]}) == [
        "worker-1 grew from 428 to 476 MiB"
    ]
