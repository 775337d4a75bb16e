"""What can analyse a call."""

from __future__ import annotations

from typing import Protocol

from control_plane.calling.intelligence.analysers.assignment import Assignment
from control_plane.calling.intelligence.analysers.findings import Findings


class Analyser(Protocol):
    @property
    def provider(self) -> str: ...

    @property
    def model(self) -> str: ...

    async def analyse(self, assignment: Assignment) -> Findings:
        """Find out every part that ``assignment`` asks for; what could not be is in ``errors``."""
        ...
