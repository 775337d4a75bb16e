from __future__ import annotations

import json

import pytest

from pipelines.engine.providers.custom.messages import BrokenMessage, ReportedError
from pipelines.engine.providers.custom.transcriber_format import (
    HeardText,
    finalize_message,
    heard_text,
    start_message,
)


def test_what_is_sent() -> None:
    start = start_message(rate_hz=16_000, language="en-US", model="ours", keywords=("Miller",))
    assert json.loads(start) == {
        "type": "start",
        "sample_rate": 16_000,
        "language": "en-US",
        "model": "ours",
        "keywords": ["Miller"],
    }
    assert "keywords" not in start_message(rate_hz=1, language="en", model="m", keywords=())
    assert json.loads(finalize_message()) == {"type": "finalize"}


def test_texts_are_interim_or_final_and_may_have_times() -> None:
    assert heard_text('{"type": "interim", "text": "go"}') == HeardText("go", False, None, None)
    final = '{"type": "final", "text": "Good.", "start_ms": 250, "end_ms": 1000}'
    assert heard_text(final) == HeardText("Good.", True, 0.25, 1.0)
    assert heard_text('{"type": "of the future"}') is None


@pytest.mark.parametrize(
    "message",
    [
        "{not json",
        "null",
        b"\x00\x00",
        '{"type": "final"}',
        '{"type": "final", "text": 1}',
        '{"type": "interim", "text": "a", "end_ms": "soon"}',
    ],
)
def test_what_is_not_of_the_format_is_refused(message: str | bytes) -> None:
    with pytest.raises(BrokenMessage):
        heard_text(message)


def test_the_server_may_say_why_it_cannot_hear() -> None:
    with pytest.raises(ReportedError, match="no GPU is free"):
        heard_text('{"type": "error", "message": "no GPU is free"}')


def test_characters_that_nothing_can_store_are_left_out() -> None:
    heard = heard_text(r'{"type": "final", "text": "a\u0000b\ud800c"}')
    assert heard is not None
    assert heard.text == "ab?c"
    with pytest.raises(ReportedError, match=r"^no\?$"):
        heard_text(r'{"type": "error", "message": "no\udfff\u0000"}')
