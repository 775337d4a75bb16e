"""Real speech, through losses and delays, to a real recogniser. ``bench.speech_over_networks`` has
more of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from statistics import median

import pytest

from switchboard.caller.speech_models import Recogniser, Voice
from tests.runtime.media.impaired_network import Network, Sentence, received, word_errors

TEXTS = (
    "Could we please meet next Tuesday in the afternoon?",
    "Can you send me a message with the address?",
    "My daughter also needs a check before the summer holidays.",
    "I am allergic to some of the usual medicines.",
    "How do I return the shoes that do not fit?",
    "The package arrived, but one of the glasses was broken.",
)
SEEDS = (1, 2, 3)
"""Of the random losses. The median counts: a single burst may hit the only sound of a word."""
TOLERATED = 1.2
"""Of the errors without loss."""


@pytest.fixture(scope="module")
def sentences() -> Sequence[Sentence]:
    voice = Voice()
    return [Sentence(text, voice.speak(text).audio) for text in TEXTS]


@cache
def recogniser() -> Recogniser:
    return Recogniser()


@pytest.fixture(scope="module")
def errors_without_loss(sentences: Sequence[Sentence]) -> int:
    return errors_of(sentences, Network(), SEEDS[0])


def errors(sentences: Sequence[Sentence], network: Network) -> int:
    return int(median(errors_of(sentences, network, seed) for seed in SEEDS))


def errors_of(sentences: Sequence[Sentence], network: Network, seed: int) -> int:
    return sum(
        word_errors(sentence.text, recogniser().transcribe(heard))[0]
        for sentence, heard in zip(sentences, received(sentences, network, seed), strict=True)
    )


@pytest.mark.parametrize("network", [Network(loss=0.05), Network(loss=0.2), Network(jitter_ms=200)])
def test_a_bad_network_costs_hardly_a_word(
    sentences: Sequence[Sentence], errors_without_loss: int, network: Network
) -> None:
    """With so few words, one more is within the tolerance."""
    assert errors(sentences, network) <= TOLERATED * errors_without_loss + 1
