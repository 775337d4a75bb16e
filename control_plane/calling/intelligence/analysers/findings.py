"""What an analysis found, and what it could not find. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from control_plane.calling.intelligence.analysers.assignment import Part
from control_plane.platform.language_model.failures import FailureReason

Sentiment = Literal["positive", "neutral", "negative", "mixed"]
SENTIMENTS: tuple[Sentiment, ...] = get_args(Sentiment)


class IntelligenceStatus(StrEnum):
    """``intelligence_status`` of a call. Source: API spec, "Post-call intelligence".

    The API treats it as an open string.
    """

    PENDING = "pending"
    """The call is still running, or its analysis is queued or running."""
    COMPLETED = "completed"
    """Everything that was asked for is there, except what ``errors`` names."""
    FAILED = "failed"
    """Nothing could be found out; ``errors`` says why."""
    QUOTA = "quota"
    """The quota of the provider's key is used up, so trying again soon is pointless."""
    SKIPPED = "skipped"
    """There was nothing to analyse: nothing was said, or nothing was asked for."""


class CriterionVerdict(BaseModel):
    """How the call did on one criterion of the rubric."""

    model_config = ConfigDict(frozen=True)
    criterion: str
    passed: bool
    score: Annotated[float, Field(ge=0, le=1)]
    reasoning: str


class Evaluation(BaseModel):
    """``passed`` if every criterion passed. ``score`` is the mean of the criteria's scores."""

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
    """What can stop an analysis besides a failing language model (``FailureReason``)."""

    PROVIDER_KEY_UNAVAILABLE = "provider_key_unavailable"
    SCHEMA_UNUSABLE = "schema_unusable"
    NOT_FOUND = "not_found"
    """The local analyser found too little for what the schema requires."""
    TRANSCRIPT_SHORTENED = "transcript_shortened"
    """Only a remark: the call was so long that its middle was left out."""
    INTERRUPTED = "analysis_interrupted"


@dataclass(frozen=True)
class PartError:
    """Why a part is missing. ``part`` is ``None`` if the error concerns the whole analysis."""

    part: Part | None
    obstacle: Obstacle | FailureReason
    message: str

    def document(self) -> dict[str, str | None]:
        """The entry of ``errors``, as the API shows it."""
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
        """Whether the missing parts may be found by trying again soon."""
        return any(error.obstacle is FailureReason.PROVIDER_UNAVAILABLE for error in self.errors)

    @property
    def status(self) -> IntelligenceStatus:
        if any(error.obstacle is FailureReason.QUOTA_EXCEEDED for error in self.errors):
            return IntelligenceStatus.QUOTA
        return IntelligenceStatus.COMPLETED if self.has_any else IntelligenceStatus.FAILED
