"""Turns stored analyses into the views that the API returns. Pure."""

from __future__ import annotations

from control_plane.calling.calls.models import Call
from control_plane.calling.intelligence.models import CallAnalysis
from control_plane.calling.intelligence.schemas import (
    AnalyserView,
    AnalysisError,
    AnalysisUsage,
    EvaluationView,
    IntelligenceView,
    SummaryView,
)


def intelligence_view(call: Call, analysis: CallAnalysis | None) -> IntelligenceView:
    """The ``intelligence`` object in the details of a call."""
    if analysis is None:
        return IntelligenceView(status=call.intelligence_status)
    return IntelligenceView(
        status=call.intelligence_status,
        summary=analysis.summary,
        sentiment=analysis.sentiment,
        structured_data=analysis.structured_data,
        evaluation=analysis.evaluation and EvaluationView.model_validate(analysis.evaluation),
        errors=[AnalysisError.model_validate(error) for error in analysis.errors],
        analyser=None
        if analysis.provider is None or analysis.model is None
        else AnalyserView(provider=analysis.provider, model=analysis.model),
        usage=[
            AnalysisUsage(**_named(name), **spent) for name, spent in sorted(analysis.usage.items())
        ],
    )


def summary_view(call: Call, analysis: CallAnalysis) -> SummaryView:
    return SummaryView(
        status=call.intelligence_status,
        sentiment=analysis.sentiment,
        summary=analysis.summary,
    )


def _named(model: str) -> dict[str, str]:
    provider, _, name = model.partition("/")
    return {"provider": provider, "model": name}
