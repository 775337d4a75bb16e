"""What an analysis has found out. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from control_plane.calling.intelligence.analysers.assignment import Part
from control_plane.calling.intelligence.status import IntelligenceStatus

Sentiment = Literal["positive", "neutral", "negative", "mixed"]
SENTIMENTS: tuple[Sentiment, ...] = get_args(Sentiment)


class CriterionVerdict(BaseModel):
    """How the call did on one criterion of the rubric."""

    model_config = ConfigDict(frozen=True)
    criterion: str
    passed: bool
    score: Annotated[float, Field(ge=0, le=1)]
    reasoning: str


class Evaluation(BaseModel):
    """``passed`` if every criterion is; ``score`` is the mean of theirs."""

    model_config = ConfigDict(frozen=True)
    passed: bool
    score: Annotated[float, Field(ge=0, le=1)]
    reasoning: str
    criteria: tuple[CriterionVerdict, ...]

    @classmethod
    def of(cls, verdicts: tuple[CriterionVerdict, ...], preface: str = "") -> Evaluation:
        lines = [preface] if preface else []
        lines += [
            f"{number}. {'Passed' if verdict.passed else 'Failed'}: {verdict.reasoning}"
            for number, verdict in enumerate(verdicts, start=1)
        ]
        return cls(
            passed=all(verdict.passed for verdict in verdicts),
            score=round(sum(verdict.score for verdict in verdicts) / len(verdicts), 3),
            reasoning="\n".join(lines),
            criteria=verdicts,
        )


class Obstacle(StrEnum):
    """Why a part of an analysis is missing: ``code`` of an entry in ``errors``."""

    PROVIDER_UNAVAILABLE = "provider_unavailable"
    """No answer, or one that says to come back later."""
    QUOTA_EXCEEDED = "quota_exceeded"
    PROVIDER_REFUSED = "provider_refused"
    """The key or the model is not accepted."""
    REQUEST_REFUSED = "request_refused"
    """This request is not accepted, or the model declines to answer it."""
    PROVIDER_KEY_UNAVAILABLE = "provider_key_unavailable"
    ANSWER_UNUSABLE = "answer_unusable"
    """Twice an answer of another shape than was asked for."""
    SCHEMA_UNUSABLE = "schema_unusable"
    NOT_FOUND = "not_found"
    """The local analyser found too little for what the schema requires."""
    TRANSCRIPT_SHORTENED = "transcript_shortened"
    """A remark: the call was so long that its middle was left out."""
    INTERRUPTED = "analysis_interrupted"


@dataclass(frozen=True)
class PartError:
    """``part`` is ``None`` for what concerns the whole analysis."""

    part: Part | None
    obstacle: Obstacle
    message: str

    def document(self) -> dict[str, str | None]:
        """As it stands in ``errors``."""
        return {
            "part": self.part and self.part.value,
            "code": self.obstacle.value,
            "message": self.message,
        }


@dataclass(frozen=True)
class Findings:
    summary: str | None = None
    sentiment: Sentiment | None = None
    structured_data: dict[str, Any] | None = None
    evaluation: Evaluation | None = None
    errors: tuple[PartError, ...] = ()

    @property
    def has_any(self) -> bool:
        found = (self.summary, self.structured_data, self.evaluation)
        return any(each is not None for each in found)

    @property
    def can_be_tried_again(self) -> bool:
        """Whether another try soon may find what is missing."""
        return any(error.obstacle is Obstacle.PROVIDER_UNAVAILABLE for error in self.errors)

    @property
    def status(self) -> IntelligenceStatus:
        if any(error.obstacle is Obstacle.QUOTA_EXCEEDED for error in self.errors):
            return IntelligenceStatus.QUOTA
        return IntelligenceStatus.COMPLETED if self.has_any else IntelligenceStatus.FAILED
