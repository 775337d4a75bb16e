"""What a conversation can ask its call to do."""

from __future__ import annotations

from typing import Literal, Protocol
from uuid import UUID

from contracts.tool_bindings import Transfer
from pipelines.engine.channels.reports import ChannelReports


class CallActions(Protocol):
    """The runtime implements it. Tools and the playbook engine call it.

    Every method returns at once; none raises.
    """

    @property
    def channel_reports(self) -> ChannelReports:
        """Where the supervisors of the channels tell which models failed."""

    def end_call(self) -> None:
        """Hang up with ``end_call_tool`` once the agent's current speech has been played."""

    def collected_slots(self, slots: dict[str, str]) -> None:
        """Report all slot values understood so far, not only new ones."""

    def send_digits(self, digits: str) -> str | None:
        """Press keys (``0-9 A-D * #``) towards every phone of the call. Returns why that is not
        possible, or ``None``."""

    def transfer(self, tool: Transfer, summary: str) -> str | None:
        """Connect the caller to a person, once the agent's current speech has been played.

        Args:
            summary: what the person is told in a warm transfer; may be empty.

        Returns:
            Why that is not possible, or ``None``.
        """

    def agent_took_over(self, agent_id: UUID) -> None:
        """Another agent of the call's plan talks from now on, and its time is billed."""

    def note(self, what: str) -> None:
        """Write what the caller has made known to the call's event log, unless nothing that is said
        may be kept."""

    def log(self, level: Literal["info", "warning", "error"], message: str) -> None:
        """Write a line to the call's event log, which API clients can read."""
