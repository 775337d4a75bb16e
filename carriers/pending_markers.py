"""Markers that were sent and have not come back. Pure."""

from __future__ import annotations

MAX_PENDING = 256
"""With more, the oldest will not be reported."""


class PendingMarkers:
    """Gives each marker a name of its own on the wire, so that what comes back late, twice or after
    a flush cannot be taken for another one."""

    def __init__(self) -> None:
        self._count = 0
        self._names: dict[str, str] = {}

    def add(self, name: str) -> str:
        """The name on the wire."""
        self._count += 1
        wire_name = f"{self._count}-{name}"
        self._names[wire_name] = name
        if len(self._names) > MAX_PENDING:
            del self._names[next(iter(self._names))]
        return wire_name

    def played(self, wire_name: str | None) -> str | None:
        """The marker's own name; ``None`` if it is not awaited."""
        return self._names.pop(wire_name, None) if wire_name is not None else None

    def drop(self) -> None:
        """Carriers return them all at a flush, or none: none was heard as far as we can know."""
        self._names.clear()
