from __future__ import annotations

import json

import pytest

from pipelines.engine.providers.custom.messages import BrokenMessage, ReportedError
from pipelines.engine.providers.custom.voice_format import (
    MOST_BYTES,
    Sound,
    SpokenText,
    SpokenWord,
    Words,
    speak_message,
    start_message,
)


def words(*given: object) -> str:
    return json.dumps({"type": "words", "words": list(given)})


def test_what_is_sent() -> None:
    assert json.loads(start_message(voice="nova", language="de-DE", model="ours")) == {
        "type": "start",
        "sample_rate": 24_000,
        "voice": "nova",
        "language": "de-DE",
        "model": "ours",
    }
    assert json.loads(speak_message('Grüße "Ada".')) == {"type": "speak", "text": 'Grüße "Ada".'}


def test_a_text_is_sound_and_words_until_it_is_done() -> None:
    spoken = SpokenText()
    assert spoken.take(b"\x01\x00") == Sound(b"\x01\x00")
    heard = spoken.take(words({"text": "Hi", "start_ms": 0, "end_ms": 250.5}))
    assert heard == Words((SpokenWord("Hi", 0.0, 0.2505),))
    assert spoken.take('{"type": "of the future"}') is None
    assert not spoken.is_done
    assert spoken.take('{"type": "done"}') is None
    assert spoken.is_done


@pytest.mark.parametrize(
    "message",
    [
        "{not json",
        "null",
        "[]",
        "{}",
        '{"type": 1}',
        "[" * 100_000,
        b"\x00",
        '{"type": "words"}',
        '{"type": "words", "words": {}}',
        words("Hi"),
        words({"text": "Hi", "start_ms": 1}),
        words({"text": "Hi", "start_ms": -1, "end_ms": 2}),
        words({"text": "Hi", "start_ms": True, "end_ms": 2}),
        words({"text": "Hi", "start_ms": "1", "end_ms": 2}),
        words({"text": None, "start_ms": 1, "end_ms": 2}),
        '{"type": "words", "words": [{"text": "Hi", "start_ms": NaN, "end_ms": 2}]}',
    ],
)
def test_what_is_not_of_the_format_is_told_without_its_content(message: str | bytes) -> None:
    with pytest.raises(BrokenMessage) as broken:
        SpokenText().take(message)
    assert "Hi" not in str(broken.value)


def test_a_server_that_sends_sound_for_ever_is_stopped() -> None:
    spoken = SpokenText()
    spoken.take(bytes(MOST_BYTES))
    with pytest.raises(BrokenMessage, match="more than 16777216 bytes"):
        spoken.take(bytes(2))


def test_the_server_may_say_why_it_cannot_speak() -> None:
    with pytest.raises(ReportedError, match="no such voice"):
        SpokenText().take('{"type": "error", "message": "no such voice"}')
    with pytest.raises(ReportedError) as long:
        SpokenText().take(json.dumps({"type": "error", "message": "x" * 10_000}))
    assert len(str(long.value)) == 200
