"""One line of the doctor's report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "warn", "fail"]


@dataclass(frozen=True)
class Finding:
    """What was checked, what was found and, if something is wrong, what to do."""

    subject: str
    level: Level
    found: str
    remedy: str = ""


def ok(subject: str, found: str) -> Finding:
    return Finding(subject, "ok", found)


def warn(subject: str, found: str, remedy: str) -> Finding:
    """Some feature will not be available; everything else works."""
    return Finding(subject, "warn", found, remedy)


def fail(subject: str, found: str, remedy: str) -> Finding:
    """``switchboard up`` will not work."""
    return Finding(subject, "fail", found, remedy)
