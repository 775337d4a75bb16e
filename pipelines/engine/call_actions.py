"""What a conversation may ask of the call that it is part of."""

from __future__ import annotations

from typing import Literal, Protocol


class CallActions(Protocol):
    """Implemented by the runtime, called by tools and by the playbook engine.

    Every method returns at once; none raises.
    """

    def end_call(self) -> None:
        """Hang up with ``end_call_tool`` as soon as the agent's current speech has been played."""

    def collected_slots(self, slots: dict[str, str]) -> None:
        """Report the slot values understood so far (the whole set, not a difference)."""

    def log(self, level: Literal["info", "warning", "error"], message: str) -> None:
        """Write a line to the call's event log, which the API client reads."""
