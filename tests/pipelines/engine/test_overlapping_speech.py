from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from pipelines.engine.barge_in import BargeIn
from pipelines.engine.overlapping_speech import OverlappingSpeech

INTERRUPTIBLE = SimpleNamespace(allow_interruptions=True)


def overlapping(state: str, speech: SimpleNamespace | None = INTERRUPTIBLE) -> OverlappingSpeech:
    session = SimpleNamespace(agent_state=state, current_speech=speech)
    speech_of_caller = OverlappingSpeech(BargeIn())
    speech_of_caller.follow(cast("Any", session))
    return speech_of_caller


def test_what_had_no_words_in_its_sound_is_not_heard_while_the_agent_speaks() -> None:
    assert not overlapping("speaking").is_heard("Huh.")
    assert not overlapping("speaking").is_heard("Mm-hmm.")


@pytest.mark.parametrize("speech", [None, SimpleNamespace(allow_interruptions=False)])
def test_all_is_heard_of_a_caller_who_cannot_interrupt(speech: SimpleNamespace | None) -> None:
    assert overlapping("speaking", speech).is_heard("Mm-hmm.")


def test_a_paused_agent_hears_all_but_a_backchannel() -> None:
    assert overlapping("listening").is_heard("Stop.")
    assert not overlapping("listening").is_heard("Uh-huh.")


def test_an_agent_that_thinks_hears_all() -> None:
    assert overlapping("thinking").is_heard("Mm-hmm.")
    assert overlapping("listening", None).is_heard("Mm-hmm."), "it may be the answer"
