"""The transfers of one call, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from contracts.tool_bindings import Transfer as TransferTool
from runtime.call.end_cause import Cause, Ending
from runtime.call.transfer.transfer import Phase, Transfer
from runtime.call.transfer.transferring_call import TransferringCall
from runtime.media.room import RoomClosed


class Transfers:
    """
    Args:
        clock: monotonic, in seconds.
    """

    def __init__(self, call: TransferringCall, clock: Callable[[], float]) -> None:
        self._call = call
        self._clock = clock
        self._all: list[Transfer] = []

    @property
    def keep_agent_silent(self) -> bool:
        """Whether the agent is not the callers' counterpart now: a person is being called, or talks
        to them. Their silence is no reason to ask whether they are there."""
        return self.agent_has_left or any(each.is_under_way for each in self._all)

    @property
    def agent_has_left(self) -> bool:
        """Whether the callers talk to a person, and the agent is not needed any more."""
        return any(each.agent_has_left for each in self._all)

    @property
    def are_private(self) -> bool:
        """Whether what the agent says is for a person who was called, and not for the callers."""
        return any(each.is_private for each in self._all)

    @property
    def targets(self) -> frozenset[UUID]:
        """Those who were called. None of them has called us."""
        return frozenset(each.target for each in self._all)

    def begin(self, tool: TransferTool, summary: str) -> str | None:
        """Start a transfer. Returns why that is not possible, or ``None``."""
        if self._call.conversation is None or not self._call.people:
            return "Nobody is in this call yet."
        if any(each.phase is not Phase.OVER for each in self._all):
            return "This call has been transferred already, or is being transferred."
        transfer = Transfer(self._call, tool, summary, self._clock)
        try:
            self._call.spawn(transfer.run())
        except RoomClosed:
            return "The call is ending."
        self._all.append(transfer)
        return None

    async def call_off(self) -> None:
        """The call is ending. Returns when the callers are off hold."""
        for each in self._all:
            await each.call_off()

    def joined(self, participant_id: UUID) -> None:
        for each in self._all:
            each.joined(participant_id)

    def joined_late(self, participant_id: UUID) -> None:
        """Somebody's media is connected while the call is ending."""
        for each in self._all:
            each.joined_late(participant_id)

    def left(self, participant_id: UUID) -> None:
        """A leg is gone. Callers whose agent has left have nobody to talk to without the person."""
        for each in self._all:
            each.left(participant_id)
            if participant_id != each.target:
                continue
            if each.agent_has_left:
                self._call.end(Ending.because(Cause.LAST_LEG_LEFT))
            elif each.phase is Phase.CONNECTED:
                each.phase = Phase.OVER  # The agent has stayed, and goes on.

    def carrier_reports_machine(self, participant_id: UUID) -> None:
        """The carrier has detected that a machine has answered. That may come before the phone's
        sound, and after both were connected."""
        for each in self._all:
            if each.target == participant_id:
                each.machine_answered()

    def not_reached(self, participant_id: UUID, why: str) -> None:
        for each in self._all:
            if each.target == participant_id:
                each.not_reached(why)
