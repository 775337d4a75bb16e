"""The analyser that asks a language model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from control_plane.calling.intelligence.analysers.answers import (
    SummaryAnswer,
    read_evaluation,
    read_notes,
    read_summary,
)
from control_plane.calling.intelligence.analysers.assignment import Assignment, Part
from control_plane.calling.intelligence.analysers.findings import (
    Evaluation,
    Findings,
    Obstacle,
    PartError,
)
from control_plane.calling.intelligence.analysers.json_question import (
    LanguageModel,
    ModelFailed,
    ask,
)
from control_plane.calling.intelligence.analysers.questions import (
    evaluation_question,
    extraction_question,
    notes_question,
    summary_question,
)
from control_plane.calling.intelligence.analysers.rubric import criteria_of
from control_plane.calling.intelligence.analysers.tenant_schema import SchemaUnusable, TenantSchema
from control_plane.calling.intelligence.analysers.transcript_lines import (
    first_lines,
    in_chunks,
    line,
    transcript_lines,
)

LONGEST_MATERIAL = 48_000
"""Characters of one request, some 12,000 tokens: of more, models overlook what is in the middle."""
MOST_CHUNKS = 60
_LONGEST_NOTE = 300
_SHRINKS_BY = 3
"""How much shorter the notes on a chunk are than the chunk, at least."""
_ENDS_THE_ANALYSIS = frozenset(
    {Obstacle.PROVIDER_UNAVAILABLE, Obstacle.QUOTA_EXCEEDED, Obstacle.PROVIDER_REFUSED}
)
"""What would meet the next question as well."""


@dataclass(frozen=True)
class ModelAnalyser:
    """One question for each part; for a long call, first one for each chunk of its transcript,
    whose notes then take the transcript's place."""

    language_model: LanguageModel
    longest_material: int = LONGEST_MATERIAL

    @property
    def provider(self) -> str:
        return self.language_model.provider

    @property
    def model(self) -> str:
        return self.language_model.model

    async def analyse(self, assignment: Assignment) -> Findings:
        criteria = criteria_of(assignment.settings.evaluation.rubric or "")
        remarks: list[PartError] = []
        try:
            material = await self._material(assignment, criteria, remarks)
        except ModelFailed as failure:
            return Findings(errors=tuple(_failed(failure, assignment.parts)))
        return await self._parts(assignment, material, criteria, remarks)

    async def _parts(
        self,
        assignment: Assignment,
        material: Sequence[str],
        criteria: Sequence[str],
        errors: list[PartError],
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
                        evaluation = await self._evaluation(assignment, material, criteria)
            except ModelFailed as failure:
                ends = failure.obstacle in _ENDS_THE_ANALYSIS
                concerned = assignment.parts[index:] if ends else (part,)
                errors += _failed(failure, concerned)
                if ends:
                    break
        return Findings(
            summary=None if summary is None else summary.summary,
            sentiment=None if summary is None else summary.sentiment,
            structured_data=data,
            evaluation=evaluation,
            errors=tuple(errors),
        )

    async def _material(
        self, assignment: Assignment, criteria: Sequence[str], remarks: list[PartError]
    ) -> list[str]:
        """The transcript's lines, or what was noted of them, until they fit into a request."""
        lines = transcript_lines(assignment.utterances, self.longest_material)
        while sum(map(len, lines)) > self.longest_material:
            chunks = in_chunks(lines, self.longest_material)
            if len(chunks) > MOST_CHUNKS:
                half = MOST_CHUNKS // 2
                chunks = chunks[:half] + chunks[-half:]
                remarks.append(_SHORTENED)
            lines = []
            for number, chunk in enumerate(chunks, start=1):
                notes = await self._notes(assignment, chunk, number, len(chunks), criteria)
                noted = [line(part=number, note=note[:_LONGEST_NOTE]) for note in notes]
                # However long the notes are, there is an end to taking notes of notes.
                lines += first_lines(noted, self.longest_material // _SHRINKS_BY)
        return lines

    async def _notes(
        self,
        assignment: Assignment,
        chunk: Sequence[str],
        number: int,
        count: int,
        criteria: Sequence[str],
    ) -> list[str]:
        question = notes_question(assignment, chunk, number, count, criteria)
        return await ask(self.language_model, question, read_notes)

    async def _summary(self, assignment: Assignment, material: Sequence[str]) -> SummaryAnswer:
        question = summary_question(assignment, material)
        return await ask(self.language_model, question, read_summary)

    async def _structured_data(
        self, assignment: Assignment, material: Sequence[str]
    ) -> dict[str, Any]:
        document = assignment.settings.structured_extraction.json_schema or {}
        try:
            schema = await asyncio.to_thread(TenantSchema, document)
        except SchemaUnusable as error:
            message = f"The JSON Schema cannot be used: {error}"
            raise ModelFailed(Obstacle.SCHEMA_UNUSABLE, message) from None
        return await ask(
            self.language_model, extraction_question(assignment, material), schema.read
        )

    async def _evaluation(
        self, assignment: Assignment, material: Sequence[str], criteria: Sequence[str]
    ) -> Evaluation:
        question = evaluation_question(assignment, material, criteria)
        return await ask(self.language_model, question, read_evaluation(criteria))


_SHORTENED = PartError(
    None,
    Obstacle.TRANSCRIPT_SHORTENED,
    "The call was so long that the middle of its transcript was left out",
)


def _failed(failure: ModelFailed, parts: Sequence[Part]) -> list[PartError]:
    return [PartError(part, failure.obstacle, failure.message) for part in parts]
