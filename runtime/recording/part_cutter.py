"""Cuts what was heard in a room into the parts of a recording. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from contracts.recording import PART_MS
from runtime.media.room import FRAME_MS, HeardFrames, Samples


@dataclass
class Part:
    """A part of the call, one entry per frame; ``None`` where nothing was recorded.

    ``first_frame`` counts frames of ``FRAME_MS`` from the call's start.
    """

    first_frame: int
    people: list[Samples | None] = field(default_factory=list)
    """48 kHz."""
    agent: list[Samples | None] = field(default_factory=list)
    """24 kHz."""

    @property
    def starts_at_ms(self) -> int:
        return self.first_frame * FRAME_MS

    @property
    def ends_at_ms(self) -> int:
        return (self.first_frame + len(self.people)) * FRAME_MS


class PartCutter:
    """A part holds ``PART_MS`` at most, and never begins or ends with a gap."""

    def __init__(self, part_ms: int = PART_MS) -> None:
        self._frames_per_part = part_ms // FRAME_MS
        self._part: Part | None = None

    def push(self, frame: int, heard: HeardFrames) -> Part | None:
        """Add what was heard up to frame number ``frame`` of the call, which must grow with each
        call. Returns the part before it if that is now complete."""
        part, complete = self._part, None
        people = heard.people
        if part is not None and frame >= (end := part.first_frame + self._frames_per_part):
            # A late tick's frames may lie on both sides of the end.
            newer = min(len(people), frame + 1 - end)
            older, people = people[: len(people) - newer], people[len(people) - newer :]
            if older:
                _extend(part, end - 1, older)
            complete, part = part, None
            self._part = part = Part(frame + 1 - max(newer, 1))
        if part is None:
            part = self._part = Part(frame)
        _extend(part, frame, people)
        part.agent[-1] = heard.agent
        return complete

    def cut(self) -> Part | None:
        """The unfinished part, if there is one."""
        part, self._part = self._part, None
        return part


def _extend(part: Part, frame: int, people: Sequence[Samples]) -> None:
    """Up to frame number ``frame``, which is the last of ``people``."""
    added = frame + 1 - part.first_frame - len(part.people)
    part.people += [None] * added
    part.agent += [None] * added
    newest = people[max(0, len(people) - added) :]
    part.people[len(part.people) - len(newest) :] = newest
