"""Analyses a call without a language model."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from control_plane.calling.intelligence.analysers.assignment import Assignment, Part
from control_plane.calling.intelligence.analysers.findings import Findings, Obstacle, PartError
from control_plane.calling.intelligence.analysers.local.evaluation import evaluate
from control_plane.calling.intelligence.analysers.local.sentiment import sentiment_of
from control_plane.calling.intelligence.analysers.local.structured_data import TooLittleFound, fill
from control_plane.calling.intelligence.analysers.local.summary import summarise
from control_plane.calling.intelligence.analysers.tenant_schema import SchemaUnusable, TenantSchema

LOCAL = "local"
MODEL = "transcript-and-slots"


@dataclass(frozen=True)
class LocalAnalyser:
    """Counts and copies, and says so in its texts. What it cannot fill is listed in ``errors``."""

    provider: str = field(default=LOCAL, init=False)
    model: str = field(default=MODEL, init=False)

    async def analyse(self, assignment: Assignment) -> Findings:
        return await asyncio.to_thread(analyse_locally, assignment)


def analyse_locally(assignment: Assignment) -> Findings:
    """Analyse the call in the calling thread. Pure."""
    wanted = assignment.parts
    errors: list[PartError] = []
    data = None
    if Part.STRUCTURED_DATA in wanted:
        try:
            schema = TenantSchema(assignment.settings.structured_extraction.json_schema or {})
            data = fill(assignment, schema)
        except SchemaUnusable as error:
            message = f"The JSON Schema cannot be used: {error}"
            errors.append(PartError(Part.STRUCTURED_DATA, Obstacle.SCHEMA_UNUSABLE, message))
        except TooLittleFound as error:
            message = f"The local analyser found too little: {error}"
            errors.append(PartError(Part.STRUCTURED_DATA, Obstacle.NOT_FOUND, message))
    by_caller = [each.text for each in assignment.turns if each.speaker == "user"]
    with_summary = Part.SUMMARY in wanted
    return Findings(
        summary=summarise(assignment) if with_summary else None,
        sentiment=sentiment_of(by_caller) if with_summary else None,
        structured_data=data,
        evaluation=evaluate(assignment) if Part.EVALUATION in wanted else None,
        errors=tuple(errors),
    )
