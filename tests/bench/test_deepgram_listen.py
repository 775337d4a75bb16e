import json

import numpy as np

from bench.vendors.deepgram_listen import _Utterance

SPEECH, SILENCE = np.full(8_000, 5_000, np.int16).tobytes(), bytes(6_400)


def test_a_request_to_finalize_brings_the_words_at_once() -> None:
    utterance = _Utterance(final_seconds=1.0)
    utterance.hear(SPEECH)
    asked = json.loads(utterance.finalize())
    assert asked["is_final"]
    assert asked["from_finalize"]
    assert asked["channel"]["alternatives"][0]["transcript"] == "I."
    assert not any(json.loads(each)["is_final"] for each in utterance.hear(bytes(64_000)))


def test_when_all_is_told_a_request_to_finalize_brings_an_empty_answer() -> None:
    utterance = _Utterance(final_seconds=0.1)
    utterance.hear(SPEECH)
    assert json.loads(utterance.hear(SILENCE)[0])["is_final"]
    asked = json.loads(utterance.finalize())
    assert asked["from_finalize"]
    assert asked["channel"]["alternatives"] == [{"transcript": "", "confidence": 0.98, "words": []}]
