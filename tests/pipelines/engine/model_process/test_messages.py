"""Messages are read as they were written, and nothing else is."""

from __future__ import annotations

import pytest

from pipelines.engine.model_process.frames import BadFrame
from pipelines.engine.model_process.messages import (
    VERSION,
    Answer,
    Cancel,
    Failed,
    Hello,
    Piece,
    PredictEndOfTurn,
    Probability,
    Request,
    Skipped,
    Speak,
    Spoken,
    Text,
    Transcribe,
    read_answer,
    read_hello,
    read_request,
)


@pytest.mark.parametrize(
    "message",
    [
        Transcribe(id=1, if_idle=True),
        Speak(id=2, voice="hibari", text="Grüße, “Ada”\n", locale="de-DE", skip=3),
        PredictEndOfTurn(id=3),
        Cancel(id=4),
    ],
)
def test_a_request_comes_back(message: Request | Cancel) -> None:
    assert read_request(message.frame().header) == message


@pytest.mark.parametrize(
    "message",
    [
        Text(id=1, text="hello"),
        Skipped(id=2),
        Piece(id=3),
        Spoken(id=4),
        Probability(id=5, probability=0.25),
        Failed(id=6, reason="no"),
    ],
)
def test_an_answer_comes_back(message: Answer) -> None:
    assert read_answer(message.frame().header) == message


def test_a_field_of_a_later_release_is_ignored() -> None:
    assert read_request(b'{"type": "cancel", "id": 1, "why": "later"}') == Cancel(id=1)


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"\xff",
        b"null",
        b"[]",
        b'{"id": 1}',
        b'{"type": "cancel"}',
        b'{"type": "sing", "id": 1}',
        b'{"type": "speak", "id": 1, "voice": "choir", "text": "a", "locale": "en"}',
        b'{"type": "speak", "id": 1, "voice": "hibari", "text": "a", "locale": "en", "skip": -1}',
    ],
)
def test_anything_else_is_no_request(header: bytes) -> None:
    with pytest.raises(BadFrame):
        read_request(header)


def test_an_answer_is_no_request_and_a_request_no_answer() -> None:
    with pytest.raises(BadFrame):
        read_request(Spoken(id=1).frame().header)
    with pytest.raises(BadFrame):
        read_answer(Cancel(id=1).frame().header)


def test_a_process_of_another_version_is_not_talked_to() -> None:
    hello = Hello(sample_rates={"moonshine": 16_000})
    assert read_hello(hello.frame().header) == hello
    later = hello.model_copy(update={"version": VERSION + 1})
    with pytest.raises(BadFrame, match=f"speaks version {VERSION + 1}, not {VERSION}"):
        read_hello(later.frame().header)
