"""What the event log of a call says of a phone's keys. Pure."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from contracts.events import KeysPressed, Logged


def keys_logged(
    participant_id: UUID, direction: Literal["received", "sent"], digits: str, *, is_shown: bool
) -> Logged:
    who = "A person on a phone" if direction == "received" else "The agent"
    what = digits if is_shown else "(not shown)"
    return Logged(
        level="info",
        message=f"{who} has pressed keys: {what}",
        keys=KeysPressed(
            participant_id=participant_id,
            direction=direction,
            digits=digits if is_shown else None,
        ),
    )
