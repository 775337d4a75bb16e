"""Analyses a call by asking a language model for each part."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from control_plane.calling.intelligence.analysers.assignment import Assignment, Part
from control_plane.calling.intelligence.analysers.findings import (
    Evaluation,
    Findings,
    Obstacle,
    PartError,
)
from control_plane.calling.intelligence.analysers.model.answers import (
    SummaryAnswer,
    read_evaluation,
    read_notes,
    read_summary,
)
from control_plane.calling.intelligence.analysers.model.instructions import (
    evaluation_request,
    extraction_request,
    notes_request,
    summary_request,
)
from control_plane.calling.intelligence.analysers.model.transcript_lines import (
    first_lines,
    in_chunks,
    line,
    transcript_lines,
)
from control_plane.calling.intelligence.analysers.tenant_schema import SchemaUnusable, TenantSchema
from control_plane.platform.language_model.completions import LanguageModel
from control_plane.platform.language_model.failures import FailureReason, ModelFailed
from control_plane.platform.language_model.json_answers import ask

LONGEST_MATERIAL = 48_000
"""Characters in one request, some 12,000 tokens. In longer texts models overlook the middle."""
MOST_CHUNKS = 60
_LONGEST_NOTE = 300
_SHRINKS_BY = 3
"""How many times shorter than a chunk its notes are, at least."""
_ENDS_THE_ANALYSIS = frozenset(
    {
        FailureReason.PROVIDER_UNAVAILABLE,
        FailureReason.QUOTA_EXCEEDED,
        FailureReason.PROVIDER_REFUSED,
    }
)
"""Failures that the next request would meet as well."""


@dataclass(frozen=True)
class ModelAnalyser:
    """Sends one request for each part.

    A long call is read in chunks first. The notes on the chunks then replace the transcript.
    """

    language_model: LanguageModel
    longest_material: int = LONGEST_MATERIAL

    @property
    def provider(self) -> str:
        return self.language_model.provider

    @property
    def model(self) -> str:
        return self.language_model.model

    async def analyse(self, assignment: Assignment) -> Findings:
        errors: list[PartError] = []
        try:
            material = await self._material(assignment, errors)
        except ModelFailed as failure:
            return Findings(errors=tuple(_failed(failure, assignment.parts)))
        return await self._parts(assignment, material, errors)

    async def _parts(
        self, assignment: Assignment, material: Sequence[str], errors: list[PartError]
    ) -> Findings:
        summary: SummaryAnswer | None = None
        data: dict[str, Any] | None = None
        evaluation: Evaluation | None = None
        for index, part in enumerate(assignment.parts):
            try:
                match part:
                    case Part.SUMMARY:
                        summary = await self._summary(assignment, material)
                    case Part.STRUCTURED_DATA:
                        data = await self._structured_data(assignment, material)
                    case Part.EVALUATION:
                        evaluation = await self._evaluation(assignment, material)
            except SchemaUnusable as error:
                message = f"The JSON Schema cannot be used: {error}"
                errors.append(PartError(part, Obstacle.SCHEMA_UNUSABLE, message))
            except ModelFailed as failure:
                ends = failure.reason in _ENDS_THE_ANALYSIS
                errors += _failed(failure, assignment.parts[index:] if ends else (part,))
                if ends:
                    break
        return Findings(
            summary=None if summary is None else summary.summary,
            sentiment=None if summary is None else summary.sentiment,
            structured_data=data,
            evaluation=evaluation,
            errors=tuple(errors),
        )

    async def _material(self, assignment: Assignment, errors: list[PartError]) -> list[str]:
        """The lines of the transcript if they fit into a request, otherwise notes on them."""
        lines = transcript_lines(assignment.turns, self.longest_material)
        while sum(map(len, lines)) > self.longest_material:
            chunks = in_chunks(lines, self.longest_material)
            if len(chunks) > MOST_CHUNKS:
                half = MOST_CHUNKS // 2
                chunks = chunks[:half] + chunks[-half:]
                errors.append(_SHORTENED)
            lines = []
            for number, chunk in enumerate(chunks, start=1):
                request = notes_request(assignment, chunk, number, len(chunks))
                notes = await ask(self.language_model, request, read_notes)
                noted = [line(part=number, note=note[:_LONGEST_NOTE]) for note in notes]
                # Notes are cut to a third of their chunk, so that this loop ends.
                lines += first_lines(noted, self.longest_material // _SHRINKS_BY)
        return lines

    async def _summary(self, assignment: Assignment, material: Sequence[str]) -> SummaryAnswer:
        request = summary_request(assignment, material)
        return await ask(self.language_model, request, read_summary)

    async def _structured_data(
        self, assignment: Assignment, material: Sequence[str]
    ) -> dict[str, Any]:
        """Raises ``SchemaUnusable`` too."""
        document = assignment.settings.structured_extraction.json_schema or {}
        schema = await asyncio.to_thread(TenantSchema, document)
        request = extraction_request(assignment, material)
        return await ask(self.language_model, request, schema.read)

    async def _evaluation(self, assignment: Assignment, material: Sequence[str]) -> Evaluation:
        request = evaluation_request(assignment, material)
        return await ask(self.language_model, request, read_evaluation(assignment.criteria))


_SHORTENED = PartError(
    None,
    Obstacle.TRANSCRIPT_SHORTENED,
    "The call was so long that the middle of its transcript was left out",
)


def _failed(failure: ModelFailed, parts: Sequence[Part]) -> list[PartError]:
    return [PartError(part, failure.reason, failure.message) for part in parts]
