from __future__ import annotations

import pytest

from contracts.agent_config import Advanced
from pipelines.engine.hearing import HearingRules


def rules(**fields: object) -> HearingRules:
    return HearingRules.of(Advanced.model_validate(fields))


def test_a_doubtful_transcription_is_dropped() -> None:
    assert rules(stt_confidence_threshold=0.6).hear("hello", 0.5) is None
    assert rules(stt_confidence_threshold=0.6).hear("hello", 0.7) == "hello"


def test_a_recogniser_without_confidence_is_believed() -> None:
    assert rules(stt_confidence_threshold=0.6).hear("hello", 0.0) == "hello"


def test_profanity_is_masked_only_where_asked_for() -> None:
    assert rules(stt_profanity_filter=True).hear("That is bullshit, Scunthorpe", 0.9) == (
        "That is b*******, Scunthorpe"
    )
    assert rules().hear("bullshit", 0.9) == "bullshit"


@pytest.mark.parametrize(
    "text", ["Um,,", "Uh?", "Hmm.", "Mm", "Uh, um...", "Uh, uh, uh", "Hmm. Hmm.", "Ahh", "erm"]
)
def test_hesitations_are_not_heard(text: str) -> None:
    assert rules().hear(text, 0.9) is None


@pytest.mark.parametrize(
    "text", ["Mm-hmm.", "Mm hmm", "Hm-mm", "mm-mm", "Uh-huh.", "uh-uh", "Uh uh.", "Mhm."]
)
def test_a_yes_or_no_that_is_hummed_is_heard(text: str) -> None:
    assert rules().hear(text, 0.9) == text


@pytest.mark.parametrize("text", ["M.", "m", "M. M. A."])
def test_a_letter_that_is_spelled_is_heard(text: str) -> None:
    assert rules().hear(text, 0.9) == text


@pytest.mark.parametrize("text", ["Um, yes.", "Mum.", "Mm-hmm, go on", "Oh", "Umbrella", "I", ""])
def test_anything_with_a_word_in_it_is(text: str) -> None:
    assert rules().hear(text, 0.9) == text
