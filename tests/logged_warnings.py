"""What a running Switchboard has warned of: the report of a failed test shows it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

MOST_LINES = 60
_SHOWN = ("warning", "error", "critical")
_KNOWN = ("level", "timestamp", "logger", "event")


def logged_warnings(data_dir: Path, since_seconds: float) -> str:
    """The newest lines, oldest first.

    Args:
        since_seconds: of the wall clock, as ``time.time``.
    """
    since = datetime.fromtimestamp(since_seconds, UTC)
    found: list[tuple[datetime, str]] = []
    for path in (data_dir / "logs").glob("*.log"):
        for line in path.read_text(errors="replace").splitlines():
            if (warning := _warning(line)) is not None and warning[0] >= since:
                found.append((warning[0], f"{path.stem}: {warning[1]}"))
    return "\n".join(f"{at:%H:%M:%S.%f} {words}" for at, words in sorted(found)[-MOST_LINES:])


def _warning(line: str) -> tuple[datetime, str] | None:
    """``None`` for a line that is less, or was not written by our logging."""
    try:
        entry = json.loads(line)
        level, at, event = entry["level"], entry["timestamp"], entry["event"]
    except (ValueError, KeyError, TypeError):
        return None
    if level not in _SHOWN:
        return None
    rest = {name: value for name, value in entry.items() if name not in _KNOWN}
    return datetime.fromisoformat(at), f"{event} {json.dumps(rest)}"
