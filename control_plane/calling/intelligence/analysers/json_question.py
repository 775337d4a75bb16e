"""Asking a language model for JSON, which is never trusted to come."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeVar

from control_plane.calling.intelligence.analysers.answer_json import LONGEST_ANSWER, UnusableAnswer
from control_plane.calling.intelligence.analysers.findings import Obstacle

_Read = TypeVar("_Read")


@dataclass(frozen=True)
class Turn:
    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True)
class Question:
    """One request. It has no place for tools: none are ever offered.

    ``schema`` is the JSON Schema of the answer where it is of our own shape, in the subset that
    providers enforce; ``None`` asks for any JSON object.
    """

    name: str
    instructions: str
    turns: tuple[Turn, ...]
    schema: dict[str, Any] | None = None

    def digest(self, provider: str, model: str) -> bytes:
        """The same for the same request to the same model."""
        document = [
            *(provider, model, self.name, self.instructions),
            [[turn.role, turn.text] for turn in self.turns],
            self.schema,
        ]
        return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).digest()


@dataclass(frozen=True)
class Completion:
    text: str
    input_tokens: int = 0
    output_tokens: int = 0


class ModelFailed(Exception):
    """There is no usable answer. The text says why, in a tenant's words and without secrets."""

    def __init__(self, obstacle: Obstacle, message: str) -> None:
        super().__init__(message)
        self.obstacle = obstacle
        self.message = message


class LanguageModel(Protocol):
    @property
    def provider(self) -> str: ...

    @property
    def model(self) -> str: ...

    async def complete(self, question: Question) -> Completion:
        """One answer, unread.

        Raises:
            ModelFailed: there is none.
        """
        ...


async def ask(model: LanguageModel, question: Question, read: Callable[[str], _Read]) -> _Read:
    """What ``read`` makes of the model's answer, or of its second one if it cannot read the first.

    Args:
        read: raises ``UnusableAnswer``. Runs in a thread: a tenant's schema may be any work.

    Raises:
        ModelFailed: no answer, or none that can be read.
    """
    first = await model.complete(question)
    try:
        return await asyncio.to_thread(read, first.text)
    except UnusableAnswer as error:
        repair = (
            *question.turns,
            Turn("assistant", first.text[:LONGEST_ANSWER]),
            Turn("user", _repair_request(error.findings)),
        )
    second = await model.complete(replace(question, turns=repair))
    try:
        return await asyncio.to_thread(read, second.text)
    except UnusableAnswer as error:
        raise ModelFailed(
            Obstacle.ANSWER_UNUSABLE,
            f"{model.provider} twice sent an answer of another shape: {error}"[:600],
        ) from None


def _repair_request(findings: Sequence[str]) -> str:
    listed = "\n".join(f"- {finding}" for finding in findings)
    return (
        "That answer does not fit:\n"
        f"{listed}\n"
        "Send the whole answer again as one JSON object that does, and nothing else."
    )
