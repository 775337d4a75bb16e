"""A call that notes what its conversation asks of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from contracts.call_plan import Channel
from contracts.tool_bindings import Transfer
from pipelines.engine.channels.reports import ChannelSwitch


@dataclass
class NotedReports:
    """Implements ``ChannelReports``."""

    switches: list[ChannelSwitch] = field(default_factory=list)
    exhaustions: list[tuple[Channel, str]] = field(default_factory=list)

    def switched(self, switch: ChannelSwitch) -> None:
        self.switches.append(switch)

    def exhausted(self, channel: Channel, why: str) -> None:
        self.exhaustions.append((channel, why))


class NotedActions:
    def __init__(self) -> None:
        self.ended = 0
        self.slots: dict[str, str] = {}
        self.takeovers: list[UUID] = []
        self.digits: list[str] = []
        self.no_keys_because: str | None = None
        self.transfers: list[tuple[str, str]] = []
        self.no_transfer_because: str | None = None
        self.lines: list[tuple[str, str]] = []
        self.notes: list[str] = []
        self.channel_reports = NotedReports()

    def end_call(self) -> None:
        self.ended += 1

    def collected_slots(self, slots: dict[str, str]) -> None:
        self.slots = slots

    def send_digits(self, digits: str) -> str | None:
        self.digits.append(digits)
        return self.no_keys_because

    def transfer(self, tool: Transfer, summary: str) -> str | None:
        self.transfers.append((tool.to, summary))
        return self.no_transfer_because

    def agent_took_over(self, agent_id: UUID) -> None:
        self.takeovers.append(agent_id)

    def note(self, what: str) -> None:
        self.notes.append(what)

    def log(self, level: Literal["info", "warning", "error"], message: str) -> None:
        self.lines.append((level, message))
