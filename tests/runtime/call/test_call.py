"""Whole calls in virtual time, with a room and a conversation that follow the test."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from uuid import UUID

import numpy as np
import pytest

from contracts.agent_config import Features
from contracts.call_plan import CallLimits, CallPlan, PlannedParticipant
from contracts.end_reasons import EndReason
from contracts.events import (
    CallEnded,
    CallMetered,
    LegLeft,
    RecordingStopped,
    SlotsCollected,
    ToolCalled,
    TranscriptSegment,
)
from contracts.live_messages import CallOver, ParticipantStateChanged
from pipelines.engine.call_actions import CallActions
from runtime.call.call import REJOIN_SECONDS, Call
from runtime.call.closing import CLOSE_SECONDS
from runtime.call.end_cause import Cause, Ending, ProvidersFailed, RoomNotOpened, SessionNotStarted
from runtime.call.funds import BALANCE_SPENT, NOT_EXTENDED
from runtime.conversation.conversation import CallRecord
from runtime.conversation.transcript import Transcript
from runtime.media.room import BadOffer, HeardFrames, Room, RoomClosed
from runtime.recording.call_recording import CallRecording
from runtime.slots import RESERVED_SECONDS, Slots
from tests.runtime import virtual_time
from tests.runtime.fakes import (
    CALLER,
    EventList,
    FakeConversation,
    FakePhrases,
    FakeRoom,
    call_plan,
)
from tests.runtime.recording.stores import MemoryPartStore

Script = Callable[["Stage"], Awaitable[None]]


@dataclass
class Stage:
    """What a test's script acts on."""

    call: Call
    room: FakeRoom
    journal: EventList
    conversations: list[FakeConversation]
    opened_at: list[float] = field(default_factory=list)
    ended_at: float = 0.0

    @property
    def conversation(self) -> FakeConversation:
        return self.conversations[0]

    @property
    def ended(self) -> CallEnded:
        return self.journal.bodies[-1]


def play(
    script: Script,
    *,
    plan: CallPlan | None = None,
    funded_until_ms: int | None = None,
    start_failure: SessionNotStarted | None = None,
    room_failure: RoomNotOpened | None = None,
    room_opens_after_seconds: float = 0.0,
    parts: MemoryPartStore | None = None,
    is_backed_up: bool = False,
    slots: Slots | None = None,
) -> Stage:
    """Run one call to its end while ``script`` acts on it. With ``parts`` it is recorded there."""

    async def main() -> Stage:
        room, journal = FakeRoom(), EventList()
        conversations: list[FakeConversation] = []

        async def open_room() -> Room:
            await asyncio.sleep(room_opens_after_seconds)
            if room_failure is not None:
                raise room_failure
            return room

        def open_conversation(
            plan: CallPlan, room: Room, actions: CallActions, record: CallRecord
        ) -> FakeConversation:
            conversations.append(FakeConversation(record, actions, start_failure=start_failure))
            return conversations[-1]

        def open_recording(plan: CallPlan, room: Room, record: CallRecord) -> CallRecording | None:
            if parts is None:
                return None
            return CallRecording(plan, room, record, FakePhrases(), parts, ThreadPoolExecutor(1))

        loop = asyncio.get_running_loop()
        call = Call(
            plan or call_plan(),
            journal,
            open_room=open_room,
            open_conversation=open_conversation,
            phrases=FakePhrases(),
            open_recording=open_recording,
            funded_until_ms=funded_until_ms,
            is_backed_up=lambda: is_backed_up,
            place=None if slots is None else slots.admit(),
            clock=loop.time,
            wall_clock=loop.time,
        )
        stage = Stage(call, room, journal, conversations)

        async def on_open() -> None:
            stage.opened_at.append(loop.time())

        async with asyncio.timeout(10_000), asyncio.TaskGroup() as group:
            acting = group.create_task(script(stage))
            await call.run(on_open)
            stage.ended_at = loop.time()
            acting.cancel()
        return stage

    return virtual_time.run(main())


def test_the_first_words_are_made_once_when_somebody_connects():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(5)
        (conversation,) = stage.conversations
        assert conversation.prepared == [], "nobody may ever join"
        await stage.call.answer_offer(CALLER, "caller", "offer")
        await stage.call.answer_offer(CALLER, "caller", "offer")
        await asyncio.sleep(1)
        stage.call.end(Ending.because(Cause.AGENT_HUNG_UP))

    assert play(script).conversations[0].prepared == [None]


def test_only_an_offer_that_is_answered_keeps_its_slot():
    slots, used = Slots(1), []

    async def script(stage: Stage) -> None:
        await asyncio.sleep(RESERVED_SECONDS + 1)
        used.append(slots.used)
        answer, stage.room.answer_offer = stage.room.answer_offer, refuse
        with pytest.raises(BadOffer):
            await stage.call.answer_offer(CALLER, "caller", "offer")
        used.append(slots.used)
        stage.room.answer_offer = answer
        await stage.call.answer_offer(CALLER, "caller", "offer")
        used.append(slots.used)
        stage.room.answer_offer = refuse
        with pytest.raises(BadOffer):
            await stage.call.answer_offer(CALLER, "caller", "offer")
        used.append(slots.used)
        stage.call.end_call()

    async def refuse(participant: object, sdp: str) -> str:
        raise BadOffer("not SDP")

    play(script, slots=slots)
    assert used == [0, 0, 1, 1]


def test_an_offer_that_is_refused_leaves_the_slot_to_one_that_is_being_answered():
    slots, used = Slots(1), []
    other = UUID(int=9)

    async def script(stage: Stage) -> None:
        await asyncio.sleep(RESERVED_SECONDS + 1)
        answer, may_answer = stage.room.answer_offer, asyncio.Event()

        async def answer_the_caller(participant: PlannedParticipant, sdp: str) -> str:
            if participant.participant_id == other:
                raise BadOffer("not SDP")
            await may_answer.wait()
            return await answer(participant, sdp)

        stage.room.answer_offer = answer_the_caller
        first = asyncio.create_task(stage.call.answer_offer(CALLER, "caller", "offer"))
        await asyncio.sleep(0.1)
        with pytest.raises(BadOffer):
            await stage.call.answer_offer(other, "other", "offer")
        used.append(slots.used)
        may_answer.set()
        await first
        used.append(slots.used)
        stage.call.end_call()

    play(script, slots=slots)
    assert used == [1, 1]


async def connected(stage: Stage) -> None:
    await asyncio.sleep(1)
    await stage.call.answer_offer(CALLER, "caller", "offer")
    await asyncio.sleep(0.1)


def test_a_call_from_room_to_hang_up():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(6.9)
        await stage.call.remove_leg(CALLER)

    stage = play(script)
    assert stage.opened_at == [0.0]
    assert stage.journal.types() == [
        "room.opened",
        "call.started",
        "leg.joined",
        "call.metered",
        "leg.left",
        "call.ended",
    ]
    assert stage.ended == CallEnded(
        end_reason=EndReason.PARTICIPANT_DISCONNECTED, connected_ms=7000
    )
    assert stage.conversation.said == ["greeting"]
    assert stage.conversation.closed
    assert stage.room.closed


def test_a_call_ends_when_everybody_who_was_invited_has_left_before_joining():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.remove_leg(CALLER)

    stage = play(script)
    assert stage.ended == CallEnded(
        end_reason=EndReason.PARTICIPANT_DISCONNECTED, connected_ms=None
    )
    assert stage.ended_at == pytest.approx(1)


def test_a_call_ends_when_its_caller_leaves_while_the_browser_connects():
    async def script(stage: Stage) -> None:
        stage.room.connect = lambda participant_id: None  # type: ignore[method-assign]
        await stage.call.answer_offer(CALLER, "caller", "offer")
        await stage.call.remove_leg(CALLER)

    stage = play(script)
    assert stage.ended == CallEnded(
        end_reason=EndReason.PARTICIPANT_DISCONNECTED, connected_ms=None
    )
    assert stage.ended_at == pytest.approx(0)


def test_a_call_waits_for_the_others_when_one_has_left_before_joining():
    (caller,) = call_plan().participants
    other = UUID(int=9)
    both = (caller, caller.model_copy(update={"participant_id": other}))

    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.remove_leg(CALLER)
        await asyncio.sleep(1)
        assert not stage.journal.has_ended
        await stage.call.remove_leg(other)

    stage = play(script, plan=call_plan().model_copy(update={"participants": both}))
    assert stage.ended.end_reason is EndReason.PARTICIPANT_DISCONNECTED
    assert stage.ended_at == pytest.approx(2)


def test_a_recorded_call_is_announced_before_the_opener_and_stopped_before_its_end():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(3)
        await stage.call.remove_leg(CALLER)

    stage = play(script, parts=MemoryPartStore())
    assert stage.conversation.said == ["announcement", "greeting"]
    assert stage.journal.types() == [
        "room.opened",
        "call.started",
        "leg.joined",
        "recording.started",
        "leg.left",
        "recording.stopped",
        "call.ended",
    ]


def test_a_call_that_ends_during_the_announcement_has_no_opener():
    async def script(stage: Stage) -> None:
        async def announce(text: str) -> bool:
            await cut_off.wait()
            return False

        async def stop_speaking() -> None:
            cut_off.set()

        await asyncio.sleep(1)
        cut_off = asyncio.Event()
        stage.conversation.announce = announce
        stage.conversation.stop_speaking = stop_speaking
        await stage.call.answer_offer(CALLER, "caller", "offer")
        await asyncio.sleep(0.5)
        stage.call.end(Ending.commanded(EndReason.NORMAL_HANGUP, "Goodbye."))

    assert play(script, parts=MemoryPartStore()).conversation.said == ["Goodbye."]


def test_a_caller_who_refuses_to_be_recorded_is_told_so_and_talks_on():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(3)
        stage.call.fact(
            TranscriptSegment(
                sequence=0,
                speaker="user",
                text="Please do not record me.",
                started_at_ms=0,
                ended_at_ms=1000,
            )
        )
        await asyncio.sleep(3)
        await stage.call.remove_leg(CALLER)

    stage = play(script, parts=MemoryPartStore())
    assert stage.conversation.said == ["announcement", "greeting", "not recorded"]
    types = stage.journal.types()
    assert types.index("transcript.segment") + 1 == types.index("recording.stopped")
    assert types.count("recording.stopped") == 1
    assert types[-2:] == ["leg.left", "call.ended"]


def test_a_refusal_is_heard_although_the_agent_keeps_no_transcript():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(3)
        refusal = "Please do not record me."
        Transcript(stage.call, keep=False).user_turn(
            refusal, started_at_ms=0, ended_at_ms=1000, now_ms=1000
        )
        await asyncio.sleep(3)
        await stage.call.remove_leg(CALLER)

    agent = call_plan().agent.model_copy(update={"features": Features(transcription_enabled=False)})
    plan = call_plan().model_copy(update={"agent": agent})
    stage = play(script, plan=plan, parts=MemoryPartStore())
    assert stage.conversation.said == ["announcement", "greeting", "not recorded"]
    (stopped,) = [each for each in stage.journal.bodies if isinstance(each, RecordingStopped)]
    assert stopped.refused
    assert "transcript.segment" not in stage.journal.types()


def test_a_store_that_is_away_disturbs_no_call():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(2)
        for index in range(300):
            samples = np.ones(960, np.int16)
            stage.room.tapped_by(HeardFrames(index, [samples], samples[:480]))
            await asyncio.sleep(0.02)
        await stage.call.remove_leg(CALLER)

    stage = play(script, parts=MemoryPartStore(away=True))
    assert stage.ended.end_reason is EndReason.PARTICIPANT_DISCONNECTED
    (stopped,) = [each for each in stage.journal.bodies if isinstance(each, RecordingStopped)]
    assert "did not take these parts" in stopped.detail


async def _hangs_again_when_it_is_cancelled(call: Call) -> None:
    try:
        await asyncio.sleep(1_000)
    finally:
        call.log("info", "the last words")
        await asyncio.sleep(1_000)


async def _awaits_a_task_that_was_cancelled(call: Call) -> None:
    call.log("info", "the last words")
    task = asyncio.create_task(asyncio.sleep(1_000))
    task.cancel()
    await task


@pytest.mark.parametrize(
    "closes", [_hangs_again_when_it_is_cancelled, _awaits_a_task_that_was_cancelled]
)
def test_a_conversation_that_does_not_close_keeps_neither_the_recording_nor_the_call_open(
    closes: Callable[[Call], Awaitable[None]],
):
    hung_up_at: list[float] = []

    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(3)
        stage.conversation.aclose = partial(closes, stage.call)
        hung_up_at.append(asyncio.get_running_loop().time())
        await stage.call.remove_leg(CALLER)

    stage = play(script, parts=MemoryPartStore())
    assert stage.journal.types()[-3:] == ["logged", "recording.stopped", "call.ended"]
    assert stage.ended_at - hung_up_at[0] < CLOSE_SECONDS + 1


def test_a_caller_whose_connection_closes_just_before_the_goodbye_is_read_has_left():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(3)
        stage.room.lose()
        await stage.call.remove_leg(CALLER)

    stage = play(script)
    assert stage.ended.end_reason is EndReason.PARTICIPANT_DISCONNECTED
    (left,) = [each for each in stage.journal.bodies if isinstance(each, LegLeft)]
    assert left.cause == "left"
    assert stage.ended_at == pytest.approx(4.1)


def test_nobody_comes():
    async def script(stage: Stage) -> None: ...

    stage = play(script)
    assert stage.ended == CallEnded(end_reason=EndReason.ROOM_CONNECTION_FAILED, connected_ms=None)
    assert stage.ended_at == pytest.approx(60)


def test_connected_time_is_reported_every_five_seconds():
    async def script(stage: Stage) -> None:
        await connected(stage)
        for _ in range(2):
            await asyncio.sleep(5)
            stage.call.activity(user_speaking=True, agent_active=False)
        stage.call.end(Ending.commanded(EndReason.NORMAL_HANGUP, None))

    reported = [
        body.connected_ms for body in play(script).journal.bodies if isinstance(body, CallMetered)
    ]
    assert reported == [4000, 9000]


def test_connected_time_is_reported_less_often_while_the_control_plane_is_behind():
    async def script(stage: Stage) -> None:
        await connected(stage)
        for _ in range(8):
            await asyncio.sleep(5)
            stage.call.activity(user_speaking=True, agent_active=False)
        stage.call.end(Ending.commanded(EndReason.NORMAL_HANGUP, None))

    stage = play(script, is_backed_up=True)
    reported = [b.connected_ms for b in stage.journal.bodies if isinstance(b, CallMetered)]
    assert reported == [19_000, 39_000]
    assert stage.ended.connected_ms is not None
    assert stage.ended.connected_ms > 40_000, "the bill counts everything"


def test_a_lost_connection_may_come_back():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.room.lose()
        await asyncio.sleep(4)
        stage.room.connect()
        await asyncio.sleep(2)
        await stage.call.remove_leg(CALLER)

    stage = play(script)
    assert stage.ended.end_reason is EndReason.PARTICIPANT_DISCONNECTED
    assert stage.ended.connected_ms == pytest.approx(2100, abs=1)
    assert stage.journal.types().count("call.started") == 1
    assert stage.journal.types().count("leg.joined") == 2


def test_each_lost_connection_has_its_whole_time_to_come_back():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.room.lose()
        await asyncio.sleep(1)
        stage.room.connect()
        await asyncio.sleep(3.5)
        stage.room.lose()

    stage = play(script)
    assert stage.ended.end_reason is EndReason.CLIENT_DISCONNECTED
    assert stage.ended_at == pytest.approx(1.1 + 4.5 + REJOIN_SECONDS)


def test_a_caller_who_was_away_and_closes_the_connection_may_come_back_on_a_new_one():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(5)
        stage.room.interrupt(2.0)
        await asyncio.sleep(3)
        stage.room.lose()
        await asyncio.sleep(4)
        stage.room.connect()
        await asyncio.sleep(2)
        await stage.call.remove_leg(CALLER)

    stage = play(script)
    assert stage.ended == CallEnded(
        end_reason=EndReason.PARTICIPANT_DISCONNECTED, connected_ms=5100 - 2000 + 2000
    )


def test_an_interrupted_leg_holds_the_agent_and_the_meter_until_it_is_back():
    seen: list[bool] = []

    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(5)
        stage.room.interrupt(2.0)
        await asyncio.sleep(12)
        seen.append(stage.conversation.is_paused)
        stage.room.connect()
        await asyncio.sleep(3)
        seen.append(stage.conversation.is_paused)
        await stage.call.remove_leg(CALLER)

    stage = play(script)
    assert seen == [True, False]
    assert stage.conversation.said == ["greeting"], "nobody is asked whether they are still there"
    assert stage.ended == CallEnded(
        end_reason=EndReason.PARTICIPANT_DISCONNECTED, connected_ms=5100 - 2000 + 3000
    )
    assert stage.journal.types().count("leg.joined") == 1
    assert stage.journal.types().count("leg.left") == 1
    assert [
        (body.state, body.may_return)
        for body in stage.room.messages
        if isinstance(body, ParticipantStateChanged)
    ] == [("connected", False), ("connection_lost", True), ("connected", False), ("left", False)]


def test_an_interrupted_leg_that_stays_away_ends_the_call_billed_to_its_last_media():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(5)
        stage.room.interrupt(2.0)
        await asyncio.sleep(18)
        stage.room.give_up()

    stage = play(script)
    assert stage.ended == CallEnded(
        end_reason=EndReason.CLIENT_DISCONNECTED, connected_ms=5100 - 2000
    )
    assert stage.ended_at == pytest.approx(1.1 + 5 + 18), "it has had its time already"
    assert LegLeft(participant_id=CALLER, cause="connection_lost") in stage.journal.bodies


def test_the_call_goes_on_while_one_of_two_is_away_and_waits_when_the_other_leaves():
    other = UUID(int=9)

    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.room.connect(other)
        await asyncio.sleep(1)
        stage.room.interrupt(0.5)
        await asyncio.sleep(3)
        assert not stage.conversation.is_paused
        await stage.call.remove_leg(other)
        await asyncio.sleep(4)
        assert stage.conversation.is_paused
        stage.room.give_up()

    stage = play(script)
    assert stage.ended == CallEnded(end_reason=EndReason.CLIENT_DISCONNECTED, connected_ms=4100)


def test_a_farewell_ends_when_nobody_hears_it_any_more():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(2)
        stage.conversation.say_seconds = 8.0
        stage.call.end(Ending.commanded(EndReason.INSUFFICIENT_FUNDS, "a long story"))
        await asyncio.sleep(3)
        stage.room.interrupt(2.0)

    stage = play(script)
    assert stage.ended == CallEnded(end_reason=EndReason.INSUFFICIENT_FUNDS, connected_ms=3100)
    assert stage.ended_at == pytest.approx(1.1 + 2 + 3 + 0.1)


def test_who_hangs_up_just_after_the_connection_closed_has_left():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.room.lose()
        await asyncio.sleep(0.1)
        await stage.call.remove_leg(CALLER)

    stage = play(script)
    assert stage.ended.end_reason is EndReason.PARTICIPANT_DISCONNECTED
    assert stage.ended_at < 2


def test_a_lost_connection_that_stays_away_ends_the_call_unbilled_for_the_wait():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.room.lose()

    stage = play(script)
    assert stage.ended.end_reason is EndReason.CLIENT_DISCONNECTED
    assert stage.ended.connected_ms == pytest.approx(100, abs=1)
    assert stage.ended_at == pytest.approx(6.1)


def test_the_agent_hangs_up_after_its_last_sentence_was_heard():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.conversation.actions.end_call()

    stage = play(script)
    assert stage.conversation.said == ["greeting"]
    assert stage.ended == CallEnded(end_reason=EndReason.END_CALL_TOOL, connected_ms=1300)
    assert stage.room.messages[-1] == CallOver(end_reason="end_call_tool")
    assert LegLeft(participant_id=CALLER, cause="call_ended") in stage.journal.bodies


def test_an_agent_that_hangs_up_without_a_word_says_goodbye():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(2)
        stage.conversation.has_answered = False
        stage.conversation.actions.end_call()

    stage = play(script)
    assert stage.conversation.said == ["greeting", "farewell: end_call_tool"]
    assert stage.ended.end_reason is EndReason.END_CALL_TOOL


def test_a_commanded_end_without_farewell_is_at_once():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.call.end(Ending.commanded(EndReason.NORMAL_HANGUP, None))

    stage = play(script)
    assert stage.ended == CallEnded(end_reason=EndReason.NORMAL_HANGUP, connected_ms=100)


def test_a_commanded_farewell_is_said():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(2)
        stage.call.end(Ending.commanded(EndReason.INSUFFICIENT_FUNDS, "no money left"))

    stage = play(script)
    assert stage.conversation.cut_off
    assert stage.conversation.said == ["greeting", "no money left"]
    assert stage.ended.end_reason is EndReason.INSUFFICIENT_FUNDS


def test_a_caller_who_leaves_during_the_farewell_need_not_hear_it():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(2)
        stage.conversation.say_seconds = 8.0
        stage.call.end(Ending.commanded(EndReason.INSUFFICIENT_FUNDS, "a long story"))
        await asyncio.sleep(1)
        await stage.call.remove_leg(CALLER)

    stage = play(script)
    assert stage.ended == CallEnded(end_reason=EndReason.INSUFFICIENT_FUNDS, connected_ms=3100)


def test_a_farewell_is_said_to_its_end_however_long_it_is():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(2)
        stage.conversation.say_seconds = 40.0
        stage.room.voice.queued_seconds = 0.2
        stage.call.end(Ending.commanded(EndReason.NORMAL_HANGUP, "a long story"))

    stage = play(script)
    assert stage.conversation.said == ["greeting", "a long story"]
    assert stage.ended.connected_ms == pytest.approx(42_400, abs=1)


def test_nothing_is_said_in_a_room_that_has_closed_by_itself():
    async def script(stage: Stage) -> None:
        await stage.call.answer_offer(CALLER, "caller", "offer")
        await asyncio.sleep(5)
        await stage.room.aclose()

    stage = play(script)
    assert stage.ended.end_reason is EndReason.SESSION_ERROR
    assert stage.conversation.said == ["greeting"]


def test_a_farewell_of_which_nothing_is_heard_is_given_up():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(2)
        stage.conversation.say_seconds = 1000.0
        stage.call.end(Ending.commanded(EndReason.NORMAL_HANGUP, "a very long story"))

    stage = play(script)
    assert stage.conversation.said == ["greeting"]
    assert stage.ended.connected_ms == pytest.approx(12_200, abs=200)


def test_a_farewell_that_noise_has_paused_is_given_up():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(2)
        stage.conversation.say_seconds = 1000.0
        stage.room.voice.queued_seconds = 0.2
        stage.room.voice.is_paused = True
        stage.call.end(Ending.commanded(EndReason.NORMAL_HANGUP, "a very long story"))

    stage = play(script)
    assert stage.conversation.said == ["greeting"]
    assert stage.ended.connected_ms == pytest.approx(12_200, abs=200)


def test_the_first_reason_counts():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.conversation.actions.end_call()
        stage.call.end(Ending.commanded(EndReason.NORMAL_HANGUP, None))

    assert play(script).ended.end_reason is EndReason.END_CALL_TOOL


def test_silence_is_nudged_and_then_ends_the_call():
    async def script(stage: Stage) -> None:
        await connected(stage)

    stage = play(script)
    assert stage.conversation.said == ["greeting", "nudge", "farewell: silence_dead_air"]
    assert stage.ended.end_reason is EndReason.SILENCE_DEAD_AIR
    assert stage.ended.connected_ms == (1 + 8 + 1 + 15 + 1) * 1000 + 300


def test_the_maximum_duration_is_not_exceeded():
    limits = CallLimits(
        max_duration_seconds=30, silence_prompt_seconds=100, silence_hangup_seconds=100
    )

    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.conversation.say_seconds = 1000.0

    stage = play(script, plan=call_plan(limits=limits))
    assert stage.ended.end_reason is EndReason.MAX_CALL_DURATION
    assert stage.ended.connected_ms is not None
    assert 29_000 <= stage.ended.connected_ms <= 30_000


def test_a_session_that_does_not_start():
    async def script(stage: Stage) -> None: ...

    stage = play(script, start_failure=SessionNotStarted("no model"))
    assert stage.ended == CallEnded(
        end_reason=EndReason.SESSION_START_FAILED, connected_ms=None, detail="no model"
    )


def test_a_room_that_does_not_open_is_not_acknowledged():
    async def script(stage: Stage) -> None: ...

    stage = play(script, room_failure=RoomNotOpened("no port"))
    assert stage.opened_at == []
    assert stage.journal.bodies == [
        CallEnded(end_reason=EndReason.ROOM_SETUP_FAILED, connected_ms=None, detail="no port")
    ]


def test_failed_providers_are_apologised_for():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.call.failed(ProvidersFailed("llm_error: gone"))

    stage = play(script)
    assert stage.conversation.said[-1] == "apology: farewell: no_provider_connected"
    assert stage.ended.end_reason is EndReason.NO_PROVIDER_CONNECTED
    assert stage.ended.detail == "llm_error: gone"


def test_a_broken_task_ends_the_call_with_session_error():
    async def broken() -> None:
        raise KeyError("bug")

    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.call.spawn(broken())

    stage = play(script)
    assert stage.ended.end_reason is EndReason.SESSION_ERROR
    assert stage.ended.detail == "KeyError: 'bug'"


def test_a_cancelled_call_is_ended_by_the_shutdown():
    async def main() -> EventList:
        room, journal = FakeRoom(), EventList()

        async def open_room() -> Room:
            return room

        async def on_open() -> None: ...

        loop = asyncio.get_running_loop()
        call = Call(
            call_plan(),
            journal,
            open_room=open_room,
            open_conversation=lambda plan, room, actions, record: FakeConversation(record, actions),
            phrases=FakePhrases(),
            clock=loop.time,
        )
        running = asyncio.create_task(call.run(on_open))
        await asyncio.sleep(0.1)
        room.connect()
        await asyncio.sleep(3)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return journal

    journal = virtual_time.run(main())
    assert journal.bodies[-1] == CallEnded(end_reason=EndReason.SERVER_SHUTDOWN, connected_ms=3000)


def test_an_offer_waits_for_the_room_to_open():
    async def script(stage: Stage) -> None:
        await stage.call.answer_offer(CALLER, "caller", "offer")
        assert stage.opened_at == [2.0]
        await stage.call.remove_leg(CALLER)

    stage = play(script, room_opens_after_seconds=2.0)
    assert "call.started" in stage.journal.types()


def test_an_ending_call_takes_no_legs():
    refused: list[bool] = []

    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.call.end(Ending.because(Cause.MAX_DURATION_REACHED))
        try:
            await stage.call.answer_offer(UUID(int=9), "late", "offer")
        except RoomClosed:
            refused.append(True)

    play(script)
    assert refused == [True]


def test_collected_slots_are_facts():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.conversation.actions.collected_slots({"name": "Ada"})
        stage.conversation.actions.end_call()

    assert SlotsCollected(slots={"name": "Ada"}) in play(script).journal.bodies


def test_without_a_transcript_nothing_that_was_said_is_kept():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.conversation.actions.collected_slots({"name": "Ada"})
        said = ToolCalled(name="book", arguments={"name": "Ada"}, output="Booked for Ada.")
        stage.call.fact(said)
        stage.conversation.actions.end_call()

    agent = call_plan().agent.model_copy(update={"features": Features(transcription_enabled=False)})
    stage = play(script, plan=call_plan().model_copy(update={"agent": agent}))
    assert ToolCalled(name="book") in stage.journal.bodies
    assert "Ada" not in str(stage.journal.bodies)
    assert stage.journal.bodies[-1].type == "call.ended"


def test_positions_count_from_the_first_leg():
    positions: list[int] = []

    async def script(stage: Stage) -> None:
        positions.append(stage.call.position_ms())
        await connected(stage)
        await asyncio.sleep(1.9)
        loop = asyncio.get_running_loop()
        positions.append(stage.call.position_ms())
        positions.append(stage.call.position_ms(loop.time() - 0.5))
        stage.call.end_call()

    play(script)
    assert positions == [0, 2000, 1500]


PATIENT = CallLimits(
    max_duration_seconds=600, silence_prompt_seconds=500, silence_hangup_seconds=500
)


def test_a_call_whose_paid_time_is_not_extended_ends_by_itself_and_costs_no_more():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.conversation.say_seconds = 6.0

    stage = play(script, plan=call_plan(limits=PATIENT), funded_until_ms=30_000)
    assert stage.conversation.said[-1] == "farewell: insufficient_funds"
    assert stage.ended == CallEnded(
        end_reason=EndReason.INSUFFICIENT_FUNDS, connected_ms=30_000, detail=NOT_EXTENDED
    )
    assert stage.ended_at == pytest.approx(1 + 26 + 6 + 0.3 + 0.1), (
        "the rest of the goodbye is free"
    )
    readings = [b.connected_ms for b in stage.journal.bodies if isinstance(b, CallMetered)]
    assert max(readings) <= 30_000


def test_paid_time_that_is_extended_is_delivered():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(20)
        stage.call.extend_funds(60_000, balance_is_spent=False)
        await asyncio.sleep(30)
        stage.call.extend_funds(90_000, balance_is_spent=True)
        stage.call.extend_funds(60_000, balance_is_spent=False)

    stage = play(script, plan=call_plan(limits=PATIENT), funded_until_ms=30_000)
    assert stage.ended.end_reason is EndReason.INSUFFICIENT_FUNDS
    assert stage.ended.detail == BALANCE_SPENT
    assert stage.ended.connected_ms == (90 - 4 + 1) * 1000 + 300


def test_a_call_that_costs_nothing_runs_to_its_maximum():
    async def script(stage: Stage) -> None:
        await connected(stage)

    limits = PATIENT.model_copy(update={"silence_prompt_seconds": 2000.0})
    stage = play(script, plan=call_plan(limits=limits))
    assert stage.ended.end_reason is EndReason.MAX_CALL_DURATION
