"""The phone that a call was made for: whether a machine has answered it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from uuid import UUID

from contracts.call_plan import CallPlan
from contracts.live_messages import LiveBody
from pipelines.texts.templates.template import fill_template
from runtime.call.voicemail.machine_answer import MachineAnswer, VoicemailCall
from runtime.media.phones.phone_leg import PhoneLeg
from runtime.media.room import Room


class DialedPhone:
    """Watches it if the agent wants to know of machines.

    Args:
        clock: monotonic, in seconds.
    """

    def __init__(self, plan: CallPlan, call: VoicemailCall, clock: Callable[[], float]) -> None:
        self._plan = plan
        self._call = call
        self._clock = clock
        self._machine: MachineAnswer | None = None
        self._reports: defaultdict[UUID, bool] = defaultdict(bool)
        """Whose carrier has detected a machine, and whether that records."""

    @property
    def is_machine(self) -> bool:
        """Whether a machine has answered, so that the agent says nothing but its message."""
        return self._machine is not None and self._machine.keeps_agent_silent

    def watch(self, room: Room) -> None:
        """Somebody, or a machine, has answered."""
        settings = self._plan.agent.advanced.voicemail
        if settings is None:
            return
        message = fill_template(settings.message or "", self._plan.variables)
        self._machine = MachineAnswer(settings, message, self._call, self._clock)
        room.tap(self._machine.heard)

    def joined(self, leg: PhoneLeg) -> None:
        """The phone's leg is in the room."""
        if self._machine is not None and leg.participant_id in self._reports:
            self._machine.reported(records=self._reports[leg.participant_id])

    def carrier_reports_machine(self, participant_id: UUID, *, records: bool) -> None:
        """The carrier has detected that a machine has answered; ``records``: and that its greeting
        is over. It may come before the phone's sound."""
        # News of the machine may come after news of the greeting's end.
        self._reports[participant_id] |= records
        if self._machine is not None:
            self._machine.reported(records=records)

    def shown(self, body: LiveBody) -> None:
        """What the conversation shows of the person's words and of who speaks."""
        if self._machine is not None:
            self._machine.shown(body)
