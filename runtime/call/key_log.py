"""What the event log of a call says of a phone's keys. Pure."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from contracts.call_plan import CallPlan
from contracts.events import KeysPressed, Logged


def keys_logged(
    plan: CallPlan, participant_id: UUID, direction: Literal["received", "sent"], digits: str
) -> Logged:
    """The digits are left out where an agent of the call asks for secrets, and where no transcript
    is kept."""
    is_shown = plan.agent.features.transcription_enabled and not plan.asks_for_secrets
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
