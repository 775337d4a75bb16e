"""Requests and answers about analyses. Source: API spec, "Intelligence" and "Calls"."""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field


class SummaryView(BaseModel):
    """The summary and sentiment from the last finished analysis of a call."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "status": "completed",
                "sentiment": "positive",
                "summary": "Ada asked for a table for four on Friday and got one at seven.",
            }
        }
    )
    status: str = Field(
        description="`completed`; `pending` while the call is being analysed again; `failed`; "
        "`quota` (the quota of the provider's key is used up); or `skipped` (nothing was said, or "
        "the agent asks for no analysis)."
    )
    sentiment: str | None = Field(
        description="`positive`, `neutral`, `negative` or `mixed`; `null` without a summary."
    )
    summary: str | None = Field(
        description="`null` if the agent asks for no summary, or if it failed."
    )


class AnalysisQueued(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "status": "queued",
                "job_id": "3f0c9be6-6a35-4f7e-8a3f-8d8c6b1f2a10",
                "message": "The call will be analysed again.",
            }
        }
    )
    status: Literal["queued"] = "queued"
    job_id: UUID
    message: str


class CriterionView(BaseModel):
    criterion: str
    passed: bool
    score: float = Field(description="0 to 1.")
    reasoning: str


class EvaluationView(BaseModel):
    """How the call did by the criteria of the rubric."""

    passed: bool = Field(description="Whether the call passed every criterion.")
    score: float = Field(description="The mean of the scores of all criteria, 0 to 1.")
    reasoning: str
    criteria: list[CriterionView]


class AnalyserView(BaseModel):
    """The model that produced the results."""

    provider: str = Field(description="`openai`, `google`, or `local` for the built-in analyser.")
    model: str


class AnalysisUsage(BaseModel):
    """How much all analyses of the call together used one model."""

    provider: str
    model: str
    requests: int
    input_tokens: int
    output_tokens: int


class AnalysisError(BaseModel):
    """A part of the results that is missing, and why."""

    part: str | None = Field(
        description="`summary`, `structured_data` or `evaluation`; `null` if the error concerns "
        "the whole analysis."
    )
    code: str
    message: str


class IntelligenceView(BaseModel):
    """The results of the analyses of a call."""

    status: str
    summary: str | None = None
    sentiment: str | None = None
    structured_data: dict[str, Any] | None = None
    evaluation: EvaluationView | None = None
    errors: list[AnalysisError] = Field(default_factory=list)
    analyser: AnalyserView | None = None
    usage: list[AnalysisUsage] = Field(default_factory=list)
