"""What workers and the model process say to each other, each message the header of a frame.

After the connection is open, the model process says ``Hello``. Then the worker asks. The answers to
several requests come mixed, and each names the request's ``id``, which the worker chose:

| request | its frame's sound | answers |
|---|---|---|
| ``Transcribe`` | one utterance | ``Text``, or ``Skipped`` |
| ``Speak`` | | for each sentence a ``Piece`` with its sound, then ``Spoken`` |
| ``PredictEndOfTurn`` | the last 1.2 s at most | ``Probability`` |
| ``Cancel`` | | none: what has not begun is dropped, and the request gets no more answers |

Instead of any answer, ``Failed`` may come. A connection that ends takes its requests with it.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from pipelines.engine.model_process.frames import BadFrame, Frame

VERSION = 1
"""Of this file and of ``frames``. Peers of different versions do not talk."""

T = TypeVar("T")
VoiceName = Literal["hibari", "espeak"]
ModelName = Literal["moonshine", "hibari", "espeak", "end_of_turn"]


class Message(BaseModel):
    model_config = ConfigDict(frozen=True)

    def frame(self, sound: bytes = b"") -> Frame:
        return Frame(self.model_dump_json().encode(), sound)


class Hello(Message):
    type: Literal["hello"] = "hello"
    version: int = VERSION
    sample_rates: dict[ModelName, int]
    """Of every model that is loaded."""


class Transcribe(Message):
    type: Literal["transcribe"] = "transcribe"
    id: int
    if_idle: bool = False
    """Answer ``Skipped`` at once if another transcription is running or waiting."""


class Speak(Message):
    type: Literal["speak"] = "speak"
    id: int
    voice: VoiceName
    text: str
    locale: str
    skip: int = Field(0, ge=0)
    """How many of the first sentences have been heard already."""


class PredictEndOfTurn(Message):
    type: Literal["predict_end_of_turn"] = "predict_end_of_turn"
    id: int


class Cancel(Message):
    type: Literal["cancel"] = "cancel"
    id: int


class Text(Message):
    type: Literal["text"] = "text"
    id: int
    text: str


class Skipped(Message):
    type: Literal["skipped"] = "skipped"
    id: int


class Piece(Message):
    type: Literal["piece"] = "piece"
    id: int


class Spoken(Message):
    type: Literal["spoken"] = "spoken"
    id: int


class Probability(Message):
    type: Literal["probability"] = "probability"
    id: int
    probability: float


class Failed(Message):
    type: Literal["failed"] = "failed"
    id: int
    reason: str


Request = Transcribe | Speak | PredictEndOfTurn
Answer = Text | Skipped | Piece | Spoken | Probability | Failed

_SAID_BY_WORKERS: TypeAdapter[Request | Cancel] = TypeAdapter(
    Annotated[Request | Cancel, Field(discriminator="type")]
)
_SAID_BY_MODELS: TypeAdapter[Answer] = TypeAdapter(Annotated[Answer, Field(discriminator="type")])


def read_request(header: bytes) -> Request | Cancel:
    """Raises ``BadFrame``."""
    return _read(_SAID_BY_WORKERS, header)


def read_answer(header: bytes) -> Answer:
    """Raises ``BadFrame``."""
    return _read(_SAID_BY_MODELS, header)


def read_hello(header: bytes) -> Hello:
    """Raises ``BadFrame``, also for another version."""
    hello = _read(TypeAdapter(Hello), header)
    if hello.version != VERSION:
        raise BadFrame(f"the model process speaks version {hello.version}, not {VERSION}")
    return hello


def _read(adapter: TypeAdapter[T], header: bytes) -> T:
    try:
        return adapter.validate_json(header)
    except ValidationError as error:
        raise BadFrame(f"not a message: {error.errors(include_input=False)}") from error
