"""One transfer of a call: the callers wait with music while a person is called, and are connected.

The control plane calls the person's phone into the room. The call stays with us to its end, so what
was agreed for it (limits, recording, price) holds for both phones.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from enum import Enum, auto
from typing import Any
from uuid import UUID, uuid4

from contracts.events import PhoneWanted
from contracts.tool_bindings import Transfer as TransferTool
from pipelines.texts import transfer_phrases
from pipelines.texts.templates.template import fill_template
from runtime.call.transfer.greeting import Answered, GreetingWatch
from runtime.call.transfer.transferring_call import TransferringCall
from runtime.media.room import HeardFrames, RoomClosed

REACH_SECONDS = 75.0
"""How long the callers wait at most. The control plane lets a phone wait 20 s for its turn and ring
for 30 s, and tells sooner if nobody was reached."""
GREETING_SECONDS = 8.0
"""How long a person may speak before the agent does."""
MACHINE = "an answering machine"


class Phase(Enum):
    CALLING = auto()
    """Until the person's phone is in the room."""
    PRIVATE = auto()
    """The agent and the person are among themselves."""
    CONNECTED = auto()
    OVER = auto()
    """Nobody was reached; the callers are with the agent again."""


class NotReached(Exception):
    """``why`` is for the event log."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Transfer:
    """
    Args:
        summary: what the person is told in a warm transfer; may be empty.
        clock: monotonic, in seconds.
    """

    def __init__(
        self, call: TransferringCall, tool: TransferTool, summary: str, clock: Callable[[], float]
    ) -> None:
        self._call = call
        self._tool = tool
        self._summary = summary
        self._clock = clock
        self.target = uuid4()
        self.phase = Phase.CALLING
        self.is_private = False
        """Whether what the agent says is for the person alone, to its last word."""
        self._held: set[UUID] = set()
        self._has_callers_on_hold = False
        """Also while none of them is here."""
        self._answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the person's phone is in the room, or is known not to come."""
        self._gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Failed when the person is there no more, or was a machine."""
        self._waits = asyncio.Event()
        """The person has said hello."""
        self._watch: GreetingWatch | None = None

    @property
    def agent_has_left(self) -> bool:
        return self.phase is Phase.CONNECTED and self._tool.then == "leave"

    @property
    def is_under_way(self) -> bool:
        return self.phase in (Phase.CALLING, Phase.PRIVATE)

    async def run(self) -> None:
        """Returns once the people are connected, the callers are with the agent again, or the
        transfer is called off."""
        await self._announce()
        if not self.is_under_way:
            return
        try:
            await self._reach()
            if self._tool.mode == "warm":
                await self._unless_gone(self._tell_in_private())
            if self._gone.done():
                self._gone.result()
        except NotReached as failure:
            if self.phase is not Phase.OVER:
                await self._return(failure.why)
        else:
            self._connect()

    # -- what happens meanwhile ----------------------------------------------------------------

    def joined(self, participant_id: UUID) -> None:
        """Somebody's media is connected. Whoever joins while the agent is with the person waits
        with the callers."""
        if participant_id == self.target:
            if self.phase is Phase.OVER:
                self._call.drop_leg(self.target)
            elif not self._answer.done():
                self.phase = Phase.PRIVATE
                self._answer.set_result(None)
        elif self.is_under_way and self._has_callers_on_hold:
            self._hold(participant_id)

    def joined_late(self, participant_id: UUID) -> None:
        """Somebody's media is connected while the call is ending. A person who was connected before
        is back; anybody else who was called does not hear the last words."""
        if participant_id == self.target and self.phase is not Phase.CONNECTED:
            self._call.hold(self.target, held=True)

    def left(self, participant_id: UUID) -> None:
        self._held.discard(participant_id)
        if participant_id == self.target:
            self._lose("hung up")

    async def call_off(self) -> None:
        """The call is ending. Its last words are for the callers, and not for the person; what the
        person is being told is not for the callers."""
        if not self.is_under_way:
            return
        was_private = self.phase is Phase.PRIVATE
        self._lose("the call is ending")
        self.phase = Phase.OVER
        if was_private:
            self._call.hold(self.target, held=True)
            assert self._call.conversation is not None
            await self._call.conversation.stop_speaking()
        self.is_private = False
        self._release()

    def not_reached(self, why: str) -> None:
        if not self._answer.done():
            self._answer.set_exception(NotReached(why))

    def machine_answered(self) -> None:
        if self.phase is Phase.CONNECTED:
            self.phase = Phase.OVER
            with suppress(RoomClosed):  # The call is ending.
                self._call.spawn(self._return(MACHINE))
        else:
            self._lose(MACHINE)

    def _heard(self, frames: HeardFrames) -> None:
        if self._watch is None or self.phase is not Phase.PRIVATE:
            return
        for frame in frames.people:
            match self._watch.frame(frame, self._clock()):
                case Answered.PERSON:
                    self._waits.set()
                case Answered.MACHINE:
                    self._lose(MACHINE)

    # -- the steps -----------------------------------------------------------------------------

    async def _announce(self) -> None:
        conversation = self._call.conversation
        assert conversation is not None, "the agent has asked for the transfer"
        self._call.activity(user_speaking=False, agent_active=True)
        await conversation.finish_speaking()
        conversation.stop_listening()
        message = fill_template(self._tool.message or "", self._call.plan.variables).strip()
        if message and self.is_under_way:
            await conversation.say(message, interruptible=False)

    async def _reach(self) -> None:
        self._has_callers_on_hold = True
        for participant_id in self._call.people_here:
            self._hold(participant_id)
        self._call.call_phone(PhoneWanted(participant_id=self.target, to_number=self._tool.to))
        self._call.log("info", f"The call is being transferred to {self._tool.to}")
        try:
            async with asyncio.timeout(REACH_SECONDS):
                await self._answer
        except TimeoutError:
            self._call.stop_calling(self.target)
            raise NotReached("nobody answered in time") from None

    async def _tell_in_private(self) -> None:
        """Only the person hears the agent now: everybody else has music."""
        conversation = self._call.conversation
        assert conversation is not None
        self.is_private = self.is_under_way
        self._watch = GreetingWatch(self._clock())
        self._call.listen_in(self._heard)
        with suppress(TimeoutError):
            async with asyncio.timeout(GREETING_SECONDS):
                await self._waits.wait()
        said = transfer_phrases.briefing(self._call.plan.locale, self._summary)
        await conversation.say(said, interruptible=False)

    async def _unless_gone(self, telling: Coroutine[Any, Any, None]) -> None:
        told = asyncio.ensure_future(telling)
        try:
            await asyncio.wait({told, self._gone}, return_when=asyncio.FIRST_COMPLETED)
            if self._gone.done():
                assert self._call.conversation is not None
                if self.phase is not Phase.OVER:
                    await self._call.conversation.stop_speaking()
                self._gone.result()
            await told
        finally:
            told.cancel()

    def _connect(self) -> None:
        self.phase = Phase.CONNECTED
        self.is_private = False
        self._release()
        self._call.log("info", f"The caller is connected with {self._tool.to}")
        if self._tool.then == "stay" and self._call.conversation is not None:
            self._call.conversation.listen_again()
            self._call.activity(user_speaking=False, agent_active=False)

    async def _return(self, why: str) -> None:
        conversation = self._call.conversation
        assert conversation is not None
        self.phase = Phase.OVER
        self.is_private = False
        self._call.drop_leg(self.target)
        self._release()
        self._call.log("warning", f"{self._tool.to} was not reached: {why}")
        written = fill_template(self._tool.unreached_message or "", self._call.plan.variables)
        conversation.listen_again()
        await conversation.say(
            written.strip() or transfer_phrases.unreached(self._call.plan.locale),
            interruptible=True,
        )

    def _hold(self, participant_id: UUID) -> None:
        self._held.add(participant_id)
        self._call.hold(participant_id, held=True)

    def _release(self) -> None:
        for participant_id in self._held:
            self._call.hold(participant_id, held=False)
        self._held.clear()

    def _lose(self, why: str) -> None:
        if self.is_under_way and not self._gone.done():
            self._gone.set_exception(NotReached(why))
            self._gone.exception()  # Nobody may be waiting for it any more.
