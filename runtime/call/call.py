"""One call, from its open room to ``call.ended``."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import UUID

import structlog

from contracts.call_plan import CallPlan, PlannedParticipant
from contracts.call_status import Transport
from contracts.end_reasons import EndReason
from contracts.events import (
    CallEnded,
    CallMetered,
    CallStarted,
    EventBody,
    LegLeft,
    Logged,
    PhoneWanted,
    RoomOpened,
    SlotsCollected,
)
from contracts.heartbeat import CallMedia
from contracts.live_messages import LiveBody, LiveMessage
from contracts.tool_bindings import Transfer
from runtime.call.agent_keys import press_keys
from runtime.call.attendance import Attendance
from runtime.call.billable_time import BillableTime
from runtime.call.call_tasks import CallTasks
from runtime.call.channel_reports import CallChannelReports
from runtime.call.closing import close_parts
from runtime.call.departures import Departures
from runtime.call.end_cause import CallFailure, Cause, Ending, Leave
from runtime.call.fact_log import EventLog, FactLog
from runtime.call.farewell import (
    falls_silent,
    farewell_seconds,
    play_recorded,
    say_farewell,
)
from runtime.call.first_words import FirstWords
from runtime.call.funds import Funds
from runtime.call.key_log import keys_logged
from runtime.call.keypads import Keypads
from runtime.call.limit_timer import LimitTimer
from runtime.call.limits import Due
from runtime.call.presence import Presence
from runtime.call.transfer.transfers import Transfers
from runtime.call.voicemail.dialed_phone import DialedPhone
from runtime.conversation.conversation import CallRecord, Conversation, OpenConversation, Phrases
from runtime.media.phones.phone_leg import PhoneLeg
from runtime.media.room import (
    AgentVoice,
    HeardFrames,
    Room,
    RoomClosed,
    Samples,
)
from runtime.recording.call_recording import CallRecording, OpenRecording
from runtime.slots import Place
from telemetry.metrics import CALL_SETUP
from telemetry.tracing import call_span

logger = structlog.get_logger(__name__)


def _nobody_watches(_: LiveMessage) -> None:
    return


def _nothing_is_recorded(plan: CallPlan, room: Room, record: CallRecord) -> None:
    return


class Call:
    """Runs one plan. It is also the ``CallActions`` and the ``CallRecord`` of its conversation.

    ``run`` owns every task of the call. Call the other methods on the same event loop while it
    runs.

    Args:
        recorded_apology: the sound (``ENGINE_OUTPUT_HZ``) of an apology in a locale's language, for
            a call whose conversation could not be built. It loads nothing.
        publish: gets what viewers outside the room may see.
        open_recording: may record what is heard in the room.
        funded_until_ms: connected time that is paid for when the call begins; ``None``: no limit.
        is_backed_up: whether the control plane is so far behind that facts should be fewer.
        place: takes one of the worker's slots with the first offer; ``None``: none is needed.
        clock: monotonic, in seconds.
        wall_clock: the clock of the engine's time stamps, in seconds.
    """

    def __init__(
        self,
        plan: CallPlan,
        journal: EventLog,
        *,
        open_room: Callable[[], Awaitable[Room]],
        open_conversation: OpenConversation,
        phrases: Phrases,
        recorded_apology: Callable[[str], Samples],
        publish: Callable[[LiveMessage], None] = _nobody_watches,
        open_recording: OpenRecording = _nothing_is_recorded,
        funded_until_ms: int | None = None,
        is_backed_up: Callable[[], bool] = lambda: False,
        place: Place | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self.plan = plan
        self._talking = plan
        """As if the call had begun with the agent that talks now."""
        self._open_room = open_room
        self._open_conversation = open_conversation
        self._phrases = phrases
        self._recorded_apology = recorded_apology
        self._open_recording = open_recording
        self._is_backed_up = is_backed_up
        self._place = place
        self._clock = clock

        self._presence = Presence(clock, wall_clock)
        self._facts = FactLog(
            journal,
            publish,
            keeps_words=plan.agent.features.transcription_enabled,
        )
        self.channel_reports = CallChannelReports(self.fact, self.failed)
        self._funds = Funds(funded_until_ms)
        self._billable = BillableTime(self._presence, self._funds, plan.limits.max_duration_seconds)
        self._limits = LimitTimer(plan.limits, self._funds, clock)
        self._room: Room | None = None
        self._room_known = asyncio.Event()
        """Set when the room is open, or it is certain that it will not open."""
        self._conversation: Conversation | None = None
        self._recording: CallRecording | None = None
        self._first_words = FirstWords(self.spawn, self._is_opener_wanted)
        self._departures = Departures(each.participant_id for each in plan.participants)
        self._keypads = Keypads(clock, self.spawn, self._entered)
        self.transfers = Transfers(self, clock)
        self._dialed_phone = DialedPhone(plan, self, clock)
        self._attendance = Attendance(
            self, self._presence, self._departures, self._limits, self.transfers
        )
        self._ending: Ending | None = None
        self._end_requested = asyncio.Event()
        self._tasks = CallTasks(self._end_requested, self.failed, self.end)
        self._farewell_over = asyncio.Event()
        """Set when nobody hears it any more."""
        self._open_since = 0.0
        """By ``clock``; from the open room on."""
        self.is_reserved = bool(plan.participants) and all(
            each.transport is Transport.PSTN for each in plan.participants
        )
        """Whether the call waits for a phone that rings. If that is not answered, there was no call
        here: nothing is written down before somebody joins."""
        self.was_released = False
        if self.is_reserved:
            self._facts.hold()

    # -- the call ------------------------------------------------------------------------------

    async def run(self, on_open: Callable[[], Awaitable[None]]) -> None:
        """Run the call to its end. Awaits ``on_open`` once the room can take legs.

        The journal ends with ``call.ended``, or is empty if the call was released. Only
        cancellation is raised, and a cancelled call has ended with ``server_shutdown``.
        """
        with structlog.contextvars.bound_contextvars(call_id=str(self.plan.call_id)):
            try:
                async with self._tasks.running():
                    await self._tasks.reporting_failure(self._open(on_open))
                    await self._end_requested.wait()
                    await self._take_leave()
            finally:
                with call_span("close call", self.plan.call_id):
                    await self._close()

    async def _open(self, on_open: Callable[[], Awaitable[None]]) -> None:
        begun_at = self._clock()
        with call_span("open room", self.plan.call_id):
            self._room = self._facts.room = await self._open_room()
        self._open_since = self._clock()
        CALL_SETUP.labels("room").observe(self._open_since - begun_at)
        self._recording = self._open_recording(self.plan, self._room, self)
        self._first_words.recording = self._recording
        self._room_known.set()
        await on_open()
        self.fact(RoomOpened())
        self.spawn(self._attendance.follow(self._room))
        self.spawn(self._watch_limits())
        self.spawn(self._billable.report(self._facts, self._is_backed_up))
        self.spawn(self._converse(self._room))
        if self.is_reserved:
            # When the phone is answered, the first word has to be ready.
            self._first_words.prepare_once()

    async def _converse(self, room: Room) -> None:
        conversation = self._open_conversation(self.plan, room, self, self)
        self._conversation = conversation
        with call_span("start agent", self.plan.call_id):
            await conversation.start()
        CALL_SETUP.labels("agent").observe(self._clock() - self._open_since)
        self._first_words.agent_listens(conversation)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run ``work`` as a task of this call. A failure in it ends the call.

        Raises:
            RoomClosed: the call is not running.
        """
        self._tasks.spawn(work)

    # -- legs ----------------------------------------------------------------------------------

    async def answer_offer(self, participant_id: UUID, identity: str, sdp: str) -> str:
        """Let a participant's browser in. Returns the SDP answer.

        Raises:
            BadOffer: the offer cannot be answered.
            NoFreeSlot: the worker has no slot for the call now.
            RoomClosed: the call is ending.
        """
        # An offer may come while the room is being opened.
        await self._room_known.wait()
        if self._room is None or self.is_ending:
            raise RoomClosed("the call is ending")
        participant = PlannedParticipant(
            participant_id=participant_id, transport=Transport.WEBRTC, identity=identity
        )
        with nullcontext() if self._place is None else self._place.taken():
            self._first_words.prepare_once()
            answer = await self._room.answer_offer(participant, sdp)
            self._departures.offer_answered(participant_id)
            return answer

    async def add_phone(self, leg: PhoneLeg) -> None:
        """Let a phone in.

        Raises:
            RoomClosed: the call is ending.
        """
        await self._room_known.wait()
        if self._room is None or self.is_ending:
            raise RoomClosed("the call is ending")
        self._first_words.prepare_once()
        self._departures.phone_opened(leg.participant_id, leg.opened.carrier)
        if leg.opened.direction == "outbound" and self.is_reserved:
            self._dialed_phone.watch(self._room)
        await self._room.add_leg(leg)
        self._dialed_phone.joined(leg)

    def carrier_reports_machine(self, participant_id: UUID, *, records: bool) -> None:
        """The carrier has detected that a machine has answered; ``records``: and that its greeting
        is over. It may come before the phone's sound."""
        if all(each.participant_id != participant_id for each in self.plan.participants):
            self.transfers.carrier_reports_machine(participant_id)
        else:
            self._dialed_phone.carrier_reports_machine(participant_id, records=records)

    async def remove_leg(self, participant_id: UUID, lost_carrier: str | None = None) -> None:
        """A participant hangs up, or is a phone of ``lost_carrier`` whose line was lost."""
        self._departures.hung_up(participant_id, lost_carrier)
        if self._room is not None:
            await self._room.remove_leg(participant_id)
        self._attendance.hung_up(participant_id, lost_carrier)

    def release(self) -> None:
        """The phone that rang was not answered. Ignored once somebody has joined."""
        if self.is_reserved:
            self.was_released = True
            self.end(Ending.because(Cause.NOBODY_JOINED))

    def _make_certain(self) -> None:
        self.is_reserved = False
        self._facts.let_go()

    def keys_pressed(self, participant_id: UUID, digits: str) -> None:
        if self._answers_keys:
            self._limits.keys_pressed()
            self._keypads.pressed(participant_id, digits)

    def _entered(self, participant_id: UUID, entry: str) -> None:
        self.fact(keys_logged(participant_id, "received", entry, is_shown=self._shows_keys))
        # An entry ends up to three seconds after its last key.
        if self._conversation is not None and self._answers_keys:
            self.spawn(self._conversation.keys_pressed(entry))

    @property
    def _answers_keys(self) -> bool:
        """Not while the call is ending, or a person is being called or talks to the callers."""
        return not (self.is_ending or self.transfers.keep_agent_silent)

    @property
    def _shows_keys(self) -> bool:
        """Not where an agent of the call asks for secrets, nor where nothing said is kept."""
        return self._facts.keeps_words and not self.plan.asks_for_secrets

    # -- who comes and goes --------------------------------------------------------------------

    def started(self, participant_id: UUID) -> None:
        """The first media is connected, that of this participant."""
        self._make_certain()
        CALL_SETUP.labels("join").observe(self._clock() - self._open_since)
        self.fact(CallStarted(participant_id=participant_id))
        self._limits.started()
        if self._dialed_phone.is_machine:
            self.activity(user_speaking=False, agent_active=True)

    def welcome(self, *, is_first: bool) -> None:
        """Say to somebody who has joined what people hear first."""
        words = self._first_words
        self.spawn(words.greet() if is_first else words.announce_recording())

    def _is_opener_wanted(self) -> bool:
        return not (self._dialed_phone.is_machine or self.is_ending)

    def cut_short(self) -> None:
        """The call is ending, and nobody hears the farewell any more."""
        self._farewell_over.set()

    # -- time ----------------------------------------------------------------------------------

    async def _watch_limits(self) -> None:
        while True:
            match await self._limits.next_due():
                case Due.NOBODY_JOINED if self.is_reserved:
                    self.release()
                case Due.NOBODY_JOINED:
                    self.end(Ending.because(Cause.NOBODY_JOINED))
                case Due.MAX_DURATION:
                    self.end(Ending.because(Cause.MAX_DURATION_REACHED))
                case Due.FUNDS_LAPSE:
                    self.end(Ending.because(Cause.FUNDS_LAPSED, self._funds.why_over))
                case Due.SILENCE_TIMEOUT:
                    self.end(Ending.because(Cause.SILENT_TOO_LONG))
                case Due.DEAD_AIR:
                    self.end(Ending.because(Cause.NEVER_SPOKE))
                case Due.NUDGE:
                    self.say(self._phrases.nudge(self._talking))

    def extend_funds(self, until_ms: int, *, balance_is_spent: bool) -> None:
        """The control plane has reserved more for this call, up to ``until_ms`` of connected
        time."""
        self._funds.extend(until_ms, balance_is_spent=balance_is_spent)
        self._limits.funds_extended()

    def media(self, worker_id: str) -> CallMedia:
        """The call's media position, for the worker's heartbeat."""
        return CallMedia(
            call_id=self.plan.call_id,
            tenant_id=self.plan.tenant_id,
            worker_id=worker_id,
            connected_ms=self._billable.ms,
            sent_at=datetime.now(UTC),
        )

    @property
    def is_ending(self) -> bool:
        return self._end_requested.is_set()

    @property
    def end_reason(self) -> str | None:
        """``None`` while nothing has ended the call."""
        return None if self._ending is None else self._ending.reason.value

    # -- the end -------------------------------------------------------------------------------

    def end(self, ending: Ending) -> None:
        """End the call. Only the first ending counts. A later one that says nothing cuts the first
        one's farewell short."""
        if self._ending is None:
            self._ending = ending
            self._end_requested.set()
            self._room_known.set()
            logger.info("call.ending", end_reason=ending.reason.value, detail=ending.detail)
        elif ending.leave is Leave.AT_ONCE:
            self.cut_short()

    async def _take_leave(self) -> None:
        """Let the agent finish or say goodbye, if anybody is there to hear it."""
        assert self._ending is not None
        started_at = self._presence.started_at
        if not self._presence.here or started_at is None or self._ending.leave is Leave.AT_ONCE:
            return
        if self._room is None:
            return
        await self._tasks.until_first(
            self._say_last_words(self._ending, self._room.voice),
            falls_silent(self._room.voice),
            self._until_cut_short(),
            timeout_seconds=farewell_seconds(
                started_at, self.plan.limits.max_duration_seconds, self._clock()
            ),
        )

    async def _say_last_words(self, ending: Ending, voice: AgentVoice) -> None:
        if self._conversation is not None:
            await self.transfers.call_off()
            text = ending.farewell or self._phrases.farewell(self._talking, ending.reason)
            await say_farewell(ending.leave, text, self._conversation, voice)
        elif ending.leave is Leave.APOLOGY:
            await play_recorded(self._recorded_apology(self._talking.locale), voice)

    async def _until_cut_short(self) -> None:
        await self._farewell_over.wait()

    async def _close(self) -> None:
        """Close the legs, the conversation and the recording. Ends with ``call.ended``, unless the
        call was released."""
        self._presence.over()
        ending = self._ending or Ending.because(Cause.WORKER_STOPPING)
        if self.is_reserved and ending.reason is EndReason.SERVER_SHUTDOWN:
            # Another worker is offered the call when the phone is answered.
            self.was_released = True
        try:
            if not self.was_released:
                self._make_certain()
        finally:
            try:
                await close_parts(
                    self._facts,
                    ending.reason,
                    self._presence.legs,
                    room=self._room,
                    conversation=self._conversation,
                    recording=self._recording,
                )
            finally:
                self.fact(
                    CallEnded(
                        end_reason=ending.reason,
                        connected_ms=self._billable.ms,
                        detail=ending.detail,
                        lost_carrier=ending.lost_carrier,
                    )
                )

    # -- what the conversation and the other parts of the call ask for -------------------------

    def say(self, text: str) -> None:
        """Make the agent speak ``text`` at the next pause, unless the call is ending."""
        if self._conversation is not None and not self.is_ending:
            self.spawn(self._conversation.say(text, interruptible=True))

    def end_call(self) -> None:
        # Models also hang up in the answer in which they transfer.
        if not self.transfers.keep_agent_silent:
            self.end(Ending.because(Cause.AGENT_HUNG_UP))

    def send_digits(self, digits: str) -> str | None:
        def pressed(participant_id: UUID) -> None:
            self.fact(keys_logged(participant_id, "sent", digits, is_shown=self._shows_keys))

        if self._room is None:
            return "The call is not open yet."
        return press_keys(self._room, self._presence.here, digits, pressed)

    def transfer(self, tool: Transfer, summary: str) -> str | None:
        return self.transfers.begin(tool, summary)

    @property
    def conversation(self) -> Conversation | None:
        """``None`` before it is opened."""
        return self._conversation

    @property
    def recording(self) -> CallRecording | None:
        """``None`` before the room is open, and of a call that is not recorded."""
        return self._recording

    @property
    def people_here(self) -> frozenset[UUID]:
        return self._presence.here

    @property
    def people(self) -> frozenset[UUID]:
        return self._presence.legs

    def hold(self, participant_id: UUID, *, held: bool) -> None:
        if self._room is not None:
            self._room.hold(participant_id, held=held)

    def call_phone(self, wanted: PhoneWanted) -> None:
        self.fact(CallMetered(connected_ms=self._billable.ms or 0, phone=wanted))

    def stop_calling(self, participant_id: UUID) -> None:
        # No event of its own: the previous release could not read it.
        self.fact(LegLeft(participant_id=participant_id, cause="left"))

    def listen_in(self, listener: Callable[[HeardFrames], None]) -> None:
        if self._room is not None:
            self._room.tap(listener)

    def drop_leg(self, participant_id: UUID) -> None:
        if self._room is not None:
            with suppress(RoomClosed):  # The call is ending, and all its legs with it.
                self.spawn(self._room.remove_leg(participant_id))

    def agent_took_over(self, agent_id: UUID) -> None:
        self._talking = self.plan.run_by(agent_id)
        if not self._talking.agent.features.transcription_enabled:
            self._facts.keep_no_more_words()
        self.fact(CallMetered(connected_ms=self._billable.ms or 0, agent_id=agent_id))

    def collected_slots(self, slots: dict[str, str]) -> None:
        self.fact(SlotsCollected(slots=dict(slots)))

    def note(self, what: str) -> None:
        if self._facts.keeps_words:
            self.log("info", what)

    def log(self, level: Literal["info", "warning", "error"], message: str) -> None:
        self.fact(Logged(level=level, message=message))

    def fact(self, body: EventBody) -> None:
        self._facts.fact(body)
        self._record_no_more_if_refused(body)

    def live(self, body: LiveBody) -> None:
        self._facts.live(body, in_private=self.transfers.are_private)
        self._record_no_more_if_refused(body)
        self._dialed_phone.shown(body)

    def _record_no_more_if_refused(self, said: EventBody | LiveBody) -> None:
        if self._recording is not None and self._recording.is_refused_by(said):
            self.say(self._phrases.not_recorded(self._talking))

    def activity(self, *, user_speaking: bool, agent_active: bool) -> None:
        silence_is_expected = self.transfers.keep_agent_silent or self._dialed_phone.is_machine
        self._limits.activity(
            user_speaking=user_speaking, agent_active=agent_active or silence_is_expected
        )

    def failed(self, failure: CallFailure) -> None:
        if self.transfers.agent_has_left:
            # The people talk to each other, and need nothing of the agent any more.
            self.log("warning", f"The agent, which has left the call, has failed: {failure}")
            return
        self.end(Ending.because(failure.cause, str(failure) or None))

    def position_ms(self, at: float | None = None) -> int:
        return self._presence.position_ms(at)
