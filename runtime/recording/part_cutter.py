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
        if part is not None and frame >= part.first_frame + self._frames_per_part:
            complete, part = part, None
        if part is None:
            part = self._part = Part(frame)
        filled = part.first_frame + len(part.people)
        part.people += [None] * (frame + 1 - filled)
        part.agent += [None] * (frame + 1 - filled)
        _put_last(part.people, heard.people[-(frame + 1 - filled) :])
        part.agent[-1] = heard.agent
        return complete

    def cut(self) -> Part | None:
        """The unfinished part, if there is one."""
        part, self._part = self._part, None
        return part


def _put_last(track: list[Samples | None], frames: Sequence[Samples]) -> None:
    track[len(track) - len(frames) :] = frames
