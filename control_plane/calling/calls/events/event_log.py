"""Lines of a call's event log. The levels and sources come from the API spec, "Call event"; the
media layer's source is ``runtime``."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.calls.models import Call, CallLogEntry

Level = Literal["info", "warning", "error"]
Source = Literal["lifecycle", "runtime", "post_call", "telephony"]


def log_event(
    session: AsyncSession,
    call: Call,
    source: Source,
    message: str,
    at: datetime,
    level: Level = "info",
    keys: dict[str, Any] | None = None,
    switch: dict[str, Any] | None = None,
) -> None:
    """Add a line to the log that the tenant can read.

    Args:
        keys: a ``contracts.events.KeysPressed`` in JSON, if the line tells of keys.
        switch: a ``contracts.events.ModelSwitched`` in JSON, if the line tells of a switch.
    """
    session.add(
        CallLogEntry(
            tenant_id=call.tenant_id,
            call_id=call.id,
            level=level,
            source=source,
            message=message,
            created_at=at,
            keys=keys,
            switch=switch,
        )
    )
