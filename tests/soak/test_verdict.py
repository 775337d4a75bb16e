from __future__ import annotations

import pytest

from bench.vendors.random_faults import Fault
from tests.soak.verdict import (
    ANALYSED_SECONDS,
    NOTICED_SECONDS,
    REMEMBERED_SECONDS,
    Warned,
    grown,
    restarted,
    said_twice,
    shows_nothing,
    unexplained,
)

FAULT = Fault("openai", "500", at=1_000.0)
SWITCH = "llm: openai/gpt-4.1-nano took over from openai/gpt-4.1-mini after 12 ms: it answered 500"
PASSED_OVER = (
    "llm: openai/gpt-4.1-nano took over from openai/gpt-4.1-mini after 0 ms: "
    "it failed in another call a moment ago"
)


ANALYSIS = "The analysis will be tried again: OpenAI answered 500."


def warned(message: str, seconds: float, call_id: str = "call") -> Warned:
    return Warned(call_id, message, FAULT.at + seconds)


@pytest.mark.parametrize(
    "warning",
    [
        warned(SWITCH, 0.1),
        warned(SWITCH, NOTICED_SECONDS),
        warned(PASSED_OVER, REMEMBERED_SECONDS),
        warned(ANALYSIS, ANALYSED_SECONDS),
    ],
)
def test_a_switch_soon_after_a_fault_is_explained(warning: Warned) -> None:
    assert unexplained([warning], [FAULT]) == []


@pytest.mark.parametrize(
    "warning",
    [
        warned(SWITCH, -1.0),
        warned(SWITCH, NOTICED_SECONDS + 1),
        warned(SWITCH.replace("from openai", "from deepgram"), 0.1),
        warned(ANALYSIS, ANALYSED_SECONDS + 1),
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


def test_a_fault_explains_what_one_call_noticed_and_that_others_pass_the_model_over() -> None:
    first, again = warned(SWITCH, 0.1), warned(SWITCH, 5.0)
    other = warned(SWITCH, 6.0, "other")
    passed_over = warned(PASSED_OVER, 7.0, "another")
    assert unexplained([first, again, other, passed_over], [FAULT]) == [other]
    assert unexplained([first, again, other], [FAULT, FAULT]) == []


def test_a_fault_that_nobody_else_can_have_noticed_is_kept_for_the_call_that_did() -> None:
    early, late = Fault("openai", "500", 1_000.0), Fault("openai", "500", 1_019.0)
    assert unexplained([warned(SWITCH, 19.5), warned(SWITCH, 21.0, "other")], [late, early]) == []


def test_descriptors_that_stay_open_are_told() -> None:
    assert grown({"api": [80.0 + 4 * minute for minute in range(30)]}, 40.0, "descriptors") == [
        "api grew from 118 to 182 descriptors"
    ]


@pytest.mark.parametrize(
    ("samples", "died"),
    [
        ([{"api": 1, "worker-1": 2}] * 3, []),
        ([{"api": 1, "worker-1": 2}, {"api": 1, "worker-1": 3}], ["worker-1 died"]),
        ([{"api": 1, "worker-1": 2}, {"api": 1}], ["worker-1 died"]),
        ([], []),
    ],
)
def test_a_process_that_died_is_told(samples: list[dict[str, int]], died: list[str]) -> None:
    assert restarted(samples) == died


@pytest.mark.parametrize(
    ("text", "twice"),
    [
        ("Thank you, that is noted now. What else should the doctor know?", None),
        ("I see, that must hurt you. I see, that must hurt you. Since when?", 6),
        ("Which day would suit you best you best?", 2),
        ("Which day would would suit you?", 1),
        ("", None),
    ],
)
def test_words_that_follow_upon_themselves_are_found(text: str, twice: int | None) -> None:
    found = said_twice(text)
    assert (found and len(found.split())) == twice


def test_a_run_in_which_nothing_happened_shows_nothing() -> None:
    assert shows_nothing(10, [FAULT], [warned(SWITCH, 0.1)]) == []
    assert len(shows_nothing(0, [], [warned("something else", 0.1)])) == 3
