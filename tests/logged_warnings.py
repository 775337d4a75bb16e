"""What a running Switchboard has warned of: the report of a failed test shows it, and a soak judges
it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

MOST_LINES = 60
_SHOWN = ("warning", "error", "critical")
_KNOWN = ("level", "timestamp", "logger", "event")
_LOGGERS_OF_OTHERS = ("postgres", "valkey")
"""They write lines of their own kind."""


@dataclass(frozen=True)
class LoggedWarning:
    process: str
    """The name of its log."""
    at: datetime
    logger: str
    event: str
    rest: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.process}: {self.event} {json.dumps(self.rest)}"


def logged_warnings(data_dir: Path, since_seconds: float) -> str:
    """The newest lines, oldest first.

    Args:
        since_seconds: of the wall clock, as ``time.time``.
    """
    since = datetime.fromtimestamp(since_seconds, UTC)
    found = [(each.at, str(each)) for each in warnings_in(data_dir) if each.at >= since]
    return "\n".join(f"{at:%H:%M:%S.%f} {words}" for at, words in sorted(found)[-MOST_LINES:])


def warnings_in(data_dir: Path) -> Iterator[LoggedWarning]:
    """Of all processes, those that have ended included."""
    for process, line in _lines(data_dir):
        if (entry := _entry(line)) is not None and entry["level"] in _SHOWN:
            yield LoggedWarning(
                process,
                datetime.fromisoformat(entry["timestamp"]),
                entry.get("logger", ""),
                entry["event"],
                {name: value for name, value in entry.items() if name not in _KNOWN},
            )


def unlogged_lines(data_dir: Path) -> Iterator[str]:
    """What our processes have written past our logging: a crash, or another's message. A line that
    is being written does not count."""
    for process, line in _lines(data_dir):
        is_ours = process not in _LOGGERS_OF_OTHERS
        if is_ours and line.endswith("\n") and line.strip() and _entry(line) is None:
            yield f"{process}: {line.strip()}"


def _lines(data_dir: Path) -> Iterator[tuple[str, str]]:
    for path in sorted((data_dir / "logs").glob("*.log*")):
        process = path.name.partition(".log")[0]
        for line in path.read_text(errors="replace").splitlines(keepends=True):
            yield process, line


def _entry(line: str) -> dict[str, Any] | None:
    """``None`` for a line that was not written by our logging."""
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    is_ours = isinstance(entry, dict) and {"level", "timestamp", "event"} <= entry.keys()
    return entry if is_ours else None
