"""Analyses on the wire. Source: API spec, "Intelligence", and "Calls" under Endpoints."""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field


class SummaryView(BaseModel):
    """What the last finished analysis of a call found."""

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
        description="`completed`; `pending` while the call is being analysed again; `failed`, "
        "`quota` (the provider's is used up) or `skipped` (nothing was said, or nothing is asked "
        "for)."
    )
    sentiment: str | None = Field(
        description="`positive`, `neutral`, `negative` or `mixed`; with the summary only."
    )
    summary: str | None = Field(description="`null` where it is not asked for, or failed.")


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
    """The rubric's verdict."""

    passed: bool = Field(description="Whether every criterion was met.")
    score: float = Field(description="The mean of the criteria's scores, 0 to 1.")
    reasoning: str
    criteria: list[CriterionView]


class AnalyserView(BaseModel):
    """Who found it out."""

    provider: str = Field(description="`openai`, `google`, or `local` for the built-in analyser.")
    model: str


class AnalysisUsage(BaseModel):
    """What all analyses of the call together took of one model."""

    provider: str
    model: str
    requests: int
    input_tokens: int
    output_tokens: int


class AnalysisError(BaseModel):
    """What is missing from the results, and why."""

    part: str | None = Field(
        description="`summary`, `structured_data` or `evaluation`; `null` for the whole."
    )
    code: str
    message: str


class IntelligenceView(BaseModel):
    """What was found out about a call."""

    status: str
    summary: str | None = None
    sentiment: str | None = None
    structured_data: dict[str, Any] | None = None
    evaluation: EvaluationView | None = None
    errors: list[AnalysisError] = Field(default_factory=list)
    analyser: AnalyserView | None = None
    usage: list[AnalysisUsage] = Field(default_factory=list)
