"""How a call's recording is laid out in the object store: parts while the call runs, then files.

Every recording has a folder. While the call runs the worker adds parts, each a FLAC file that can
be played by itself. A part's name is its place on the call's clock, so a part that was lost leaves
a gap and shifts nothing. After the call the control plane makes the files from the parts.
"""

from __future__ import annotations

from typing import Literal
from uuid import UUID

SAMPLE_HZ = 24_000
CHANNELS = 2
"""Left: everybody but the agent. Right: the agent, as it was heard."""
PART_MS = 5_000
"""The longest part, and so the most that is lost with a worker that dies."""

RecordingFile = Literal["stereo_mix.wav", "stereo_mix.ogg"]

_PARTS = "parts/"
_PART_SUFFIX = ".flac"


def call_folder(tenant_id: UUID, call_id: UUID) -> str:
    """Holds the folders of all recordings of a call."""
    return f"recordings/{tenant_id}/{call_id}/"


def recording_folder(tenant_id: UUID, call_id: UUID, recording_id: UUID) -> str:
    """Ends with a slash, like every folder here."""
    return f"{call_folder(tenant_id, call_id)}{recording_id}/"


def parts_folder(recording: str) -> str:
    """``recording`` is a recording's folder."""
    return recording + _PARTS


def part_path(recording: str, starts_at_ms: int) -> str:
    """The path of the part whose first sample is ``starts_at_ms`` after the call's start."""
    return f"{recording}{_PARTS}{starts_at_ms:09d}{_PART_SUFFIX}"


def part_starts_at_ms(path: str) -> int:
    """The inverse of ``part_path``.

    Raises:
        ValueError: ``path`` is not the path of a part.
    """
    name = path.rpartition("/")[2]
    if not name.endswith(_PART_SUFFIX):
        raise ValueError(f"not a part of a recording: {path!r}")
    return int(name.removesuffix(_PART_SUFFIX))
