"""The summary says in words why a call ended, whatever the reason."""

from __future__ import annotations

import re

import pytest

from contracts.agent_config import PostCall
from contracts.dial_outcome import DialOutcome, carrier_end_reason
from contracts.end_reasons import EndReason
from control_plane.calling.intelligence.analysers.assignment import Assignment, SpokenTurn
from control_plane.calling.intelligence.analysers.local.end_of_call import sentence_about
from control_plane.calling.intelligence.analysers.local.summary import summarise

OF_CARRIERS = [carrier_end_reason("a_carrier", outcome) for outcome in DialOutcome]
EVERY = [*map(str, EndReason), *OF_CARRIERS]


@pytest.mark.parametrize("reason", EVERY)
def test_every_reason_has_a_sentence_without_its_code(reason: str) -> None:
    said = sentence_about(reason)
    assert said != sentence_about("unheard_of")
    assert re.fullmatch(r"[A-Z][A-Za-z',: ]+\.", said), said


def test_no_two_reasons_have_the_same_sentence() -> None:
    assert len({sentence_about(reason) for reason in EVERY}) == len(EVERY)


@pytest.mark.parametrize("reason", [*EVERY, "unheard_of"])
def test_the_summary_ends_with_it(reason: str) -> None:
    summary = summarise(
        Assignment(
            agent_name="Reception",
            locale="en-US",
            turns=(SpokenTurn(0, "user", "Hello.", 0),),
            slots={},
            settings=PostCall(),
            end_reason=reason,
            connected_ms=1_000,
        )
    )
    assert summary.endswith(f" {sentence_about(reason)}")
    assert "_" not in summary
