"""The body of a delivery. Source: API spec, "Envelope"."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any


def envelope(
    event: str, data: Mapping[str, Any], *, origin: str, occurred_at: datetime
) -> dict[str, Any]:
    """
    Args:
        origin: that of the fact. Gateway events have no ``type``.
        occurred_at: when the event was emitted; the same over all tries.
    """
    return {
        "event": event,
        **({} if origin == "gateway" else {"type": event}),
        "timestamp": timestamp(occurred_at),
        "data": dict(data),
    }


def timestamp(moment: datetime) -> str:
    """ISO 8601 in UTC with microseconds, which tell events of one call apart."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def body_of(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
