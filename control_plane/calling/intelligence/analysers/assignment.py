"""What an analysis is given and what it has to find out. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from contracts.agent_config import PostCall


class Part(StrEnum):
    """What can be asked for. The sentiment comes with the summary."""

    SUMMARY = "summary"
    STRUCTURED_DATA = "structured_data"
    EVALUATION = "evaluation"


@dataclass(frozen=True)
class Utterance:
    sequence: int
    speaker: Literal["user", "agent"]
    text: str
    started_at_ms: int


@dataclass(frozen=True)
class Assignment:
    """One call, as it is when its analysis begins."""

    agent_name: str
    locale: str
    utterances: Sequence[Utterance]
    slots: Mapping[str, str]
    """What the playbook engine understood, by slot name."""
    settings: PostCall
    end_reason: str | None
    connected_ms: int

    @property
    def parts(self) -> tuple[Part, ...]:
        """What the settings ask for."""
        settings = self.settings
        wanted = {
            Part.SUMMARY: settings.summary.enabled,
            Part.STRUCTURED_DATA: settings.structured_extraction.json_schema is not None,
            Part.EVALUATION: bool((settings.evaluation.rubric or "").strip()),
        }
        return tuple(part for part in Part if wanted[part])

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to analyse."""
        return not self.utterances or not self.parts
