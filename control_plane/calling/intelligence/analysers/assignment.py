"""What an analysis gets and what it has to find out. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from contracts.agent_config import PostCall

MOST_CRITERIA = 50
_ITEM = re.compile(r"^\s*(?:\(?\d{1,3}[.):]|[-*•])\s*(?P<text>\S.*)$")


class Part(StrEnum):
    """What an agent can ask for. The sentiment is part of the summary."""

    SUMMARY = "summary"
    STRUCTURED_DATA = "structured_data"
    EVALUATION = "evaluation"


@dataclass(frozen=True)
class SpokenTurn:
    sequence: int
    speaker: Literal["user", "agent"]
    text: str
    started_at_ms: int


@dataclass(frozen=True)
class Assignment:
    """One call, as it was when its analysis began."""

    agent_name: str
    locale: str
    turns: Sequence[SpokenTurn]
    slots: Mapping[str, str]
    """The values that the playbook engine collected, by slot name."""
    settings: PostCall
    end_reason: str | None
    connected_ms: int

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts that the settings ask for."""
        settings = self.settings
        wanted = {
            Part.SUMMARY: settings.summary.enabled,
            Part.STRUCTURED_DATA: settings.structured_extraction.json_schema is not None,
            Part.EVALUATION: bool((settings.evaluation.rubric or "").strip()),
        }
        return tuple(part for part in Part if wanted[part])

    @property
    def criteria(self) -> tuple[str, ...]:
        """The criteria of the rubric; empty if there is no rubric."""
        return criteria_of(self.settings.evaluation.rubric or "")

    @property
    def is_empty(self) -> bool:
        """Whether nothing was said or nothing is asked for."""
        return not self.turns or not self.parts


def criteria_of(rubric: str) -> tuple[str, ...]:
    """The criteria of a rubric such as ``"1. Greets the caller.\\n2. Asks for a name."``.

    An item ends where the next one begins. Text before the first item introduces the list and is
    not a criterion. If there are no items, each line is a criterion. A rubric that is not blank
    has at least one criterion; those after ``MOST_CRITERIA`` are dropped.
    """
    lines = [line.strip() for line in rubric.splitlines() if line.strip()]
    if not any(_ITEM.match(line) for line in lines):
        return tuple(lines[:MOST_CRITERIA])
    criteria: list[str] = []
    for line in lines:
        if item := _ITEM.match(line):
            criteria.append(item["text"].strip())
        elif criteria:
            criteria[-1] += f" {line}"
    return tuple(criteria[:MOST_CRITERIA])
