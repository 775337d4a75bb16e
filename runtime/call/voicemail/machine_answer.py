"""Watches one phone that we dialed, and deals with a machine that answers it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Protocol

from contracts.agent_config import Voicemail
from contracts.live_messages import LiveBody, LiveTranscript, UserStateChanged
from runtime.call.end_cause import Cause, Ending
from runtime.call.voicemail.watch import Verdict, VoicemailWatch
from runtime.conversation.conversation import Conversation
from runtime.media.room import HeardFrames, RoomClosed

PEOPLE_HZ = 48_000
NO_MESSAGE = "the agent could not say all of its message to the machine"
NO_END = "the machine's greeting did not end"


class VoicemailCall(Protocol):
    """What it needs of its call."""

    @property
    def conversation(self) -> Conversation | None: ...

    def spawn(self, work: Coroutine[Any, Any, None]) -> None: ...

    def end(self, ending: Ending) -> None: ...

    def activity(self, *, user_speaking: bool, agent_active: bool) -> None:
        """Who is active from now on: silence is counted while nobody is."""


class MachineAnswer:
    """
    Args:
        message: with the call's variables filled in; ``None``: hang up.
    """

    def __init__(
        self,
        settings: Voicemail,
        message: str | None,
        call: VoicemailCall,
        clock: Callable[[], float],
    ) -> None:
        self._leaves_message = settings.action == "leave_message"
        self._message = message or ""
        self._call = call
        self._clock = clock
        self._watch = VoicemailWatch(clock(), PEOPLE_HZ)

    @property
    def keeps_agent_silent(self) -> bool:
        """Whether a machine has answered. From then on the agent says nothing but its message, and
        its silence is no reason to ask whether anybody is there."""
        return self._watch.is_machine

    def shown(self, body: LiveBody) -> None:
        """What the conversation shows of the person's words and of who speaks."""
        match body:
            case LiveTranscript(speaker="user", text=text):
                self._judged(self._watch.words(text, self._clock()))
            case UserStateChanged(state=state):
                self._watch.speech(state == "speaking", self._clock())

    def heard(self, frames: HeardFrames) -> None:
        now = self._clock()
        for frame in frames.people:
            self._judged(self._watch.frame(frame, now))

    def reported(self, *, records: bool) -> None:
        """The carrier has detected a machine; ``records``: one whose greeting is over."""
        for verdict in self._watch.reported(records=records):
            self._judged(verdict)

    def _judged(self, verdict: Verdict | None) -> None:
        with suppress(RoomClosed):  # The call is ending anyway.
            self._act_on(verdict)

    def _act_on(self, verdict: Verdict | None) -> None:
        if verdict is Verdict.MACHINE and not self._leaves_message:
            self._call.end(Ending.because(Cause.MACHINE_ANSWERED))
        elif verdict is Verdict.MACHINE:
            self._call.activity(user_speaking=False, agent_active=True)
            self._call.spawn(self._fall_silent())
        elif verdict is Verdict.SPEAKS_ON:
            self._call.end(Ending.because(Cause.MACHINE_ANSWERED, NO_END))
        elif verdict is Verdict.RECORDS and self._leaves_message:
            self._call.spawn(self._leave_message())

    async def _fall_silent(self) -> None:
        conversation = self._call.conversation
        if conversation is not None:
            conversation.stop_listening()
            await conversation.stop_speaking()

    async def _leave_message(self) -> None:
        conversation = self._call.conversation
        if conversation is not None and await conversation.announce(self._message):
            self._call.end(Ending.because(Cause.MESSAGE_LEFT))
        else:
            self._call.end(Ending.because(Cause.MACHINE_ANSWERED, NO_MESSAGE))
