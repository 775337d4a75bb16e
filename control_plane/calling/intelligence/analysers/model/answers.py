"""The shapes of the answers that an analysis asks for, checked strictly. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from control_plane.calling.intelligence.analysers.findings import (
    CriterionVerdict,
    Evaluation,
    Sentiment,
)
from control_plane.platform.language_model.answer_object import read_object
from control_plane.platform.language_model.json_answers import UnusableAnswer

_STRICT = ConfigDict(extra="forbid", strict=True)
_Answer = TypeVar("_Answer", bound=BaseModel)


class SummaryAnswer(BaseModel):
    model_config = _STRICT
    summary: Annotated[str, Field(min_length=1, max_length=20_000)]
    sentiment: Sentiment


class _Judgement(BaseModel):
    model_config = _STRICT
    number: int
    passed: bool
    score: Annotated[float, Field(ge=0, le=1)]
    reasoning: Annotated[str, Field(min_length=1, max_length=4_000)]


class _EvaluationAnswer(BaseModel):
    model_config = _STRICT
    criteria: list[_Judgement]


class _NotesAnswer(BaseModel):
    model_config = _STRICT
    notes: list[str]


def read_summary(text: str) -> SummaryAnswer:
    """Raises ``UnusableAnswer``."""
    return _read(SummaryAnswer, text)


def read_evaluation(criteria: Sequence[str]) -> Callable[[str], Evaluation]:
    """A reader for an answer with one verdict on each of ``criteria``.

    It works out the overall verdict itself instead of asking the model for one. It raises
    ``UnusableAnswer``.
    """

    def read(text: str) -> Evaluation:
        judged = {each.number: each for each in _read(_EvaluationAnswer, text).criteria}
        if sorted(judged) != list(range(1, len(criteria) + 1)):
            raise UnusableAnswer(
                [f"criteria: needs one entry for each number from 1 to {len(criteria)}"]
            )
        return Evaluation.of(
            tuple(
                CriterionVerdict(
                    criterion=criterion,
                    passed=judged[number].passed,
                    score=judged[number].score,
                    reasoning=judged[number].reasoning,
                )
                for number, criterion in enumerate(criteria, start=1)
            )
        )

    return read


def read_notes(text: str) -> list[str]:
    """Raises ``UnusableAnswer``."""
    return _read(_NotesAnswer, text).notes


def _read(shape: type[_Answer], text: str) -> _Answer:
    try:
        return shape.model_validate(read_object(text))
    except ValidationError as error:
        raise UnusableAnswer.from_validation(error) from None
