"""Questions to the owner of an agent whose prompt says too little."""

from __future__ import annotations

from dataclasses import dataclass

from control_plane.building.agent_builder.local.composition import is_thin
from control_plane.building.agent_builder.local.foreign_wording import wording_for
from control_plane.building.agent_builder.local.reading.languages import DEFAULT
from control_plane.building.agent_builder.local.reading.prompt_reading import read


@dataclass(frozen=True)
class Clarification:
    questions: tuple[str, ...]
    blockers: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def clarification(prompt: str) -> Clarification | None:
    """The questions to ask; ``None`` if the prompt says what the agent should do."""
    reading = read(prompt)
    language = reading.languages[0] if reading.languages else DEFAULT
    if not is_thin(reading) or wording_for(language) is not None:
        return None
    questions = [
        "What should the agent do on a call, for example book appointments, take orders or "
        "answer questions?",
        "Which details should it ask callers for?",
    ]
    warnings = []
    if not reading.names.business:
        questions.insert(0, "What is the name of the business, and what does it do?")
        warnings.append("The prompt names no business.")
    if not reading.facts:
        questions.append(
            "What should it tell callers about the business, for example hours, address and prices?"
        )
    return Clarification(
        tuple(questions),
        ("The prompt does not say what the agent should do on a call.",),
        tuple(warnings),
    )
