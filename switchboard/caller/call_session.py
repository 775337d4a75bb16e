"""One call as the caller holds it: connect, listen, speak, measure, leave."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from contracts.live_messages import CallOver, LiveMessage
from switchboard.caller.activity import SpeechActivity
from switchboard.caller.dialogue_policy import DialoguePolicy
from switchboard.caller.job import PhoneLine
from switchboard.caller.peer import CallerPeer, OpenPeer, Peer
from switchboard.caller.placed_call import (
    CALL_ADVICE,
    PlacedCall,
    placed_call,
    unless_stopped,
)
from switchboard.caller.prepared_speech import PreparedSpeech
from switchboard.caller.reply_watch import ReplyWatch
from switchboard.caller.reports import (
    AgentAudible,
    CallSummary,
    Connected,
    EndedBy,
    Heard,
    Live,
    Placed,
    Report,
    Saying,
)
from switchboard.caller.speech_queue import SpeechQueue
from switchboard.caller.summary import summarise
from switchboard.caller.turn_end import HeardTurn, TurnEndDetector
from switchboard.caller.turn_taking import HeardWords, Move, Say, Situation, TurnTaking
from switchboard.problems import client_errors_as_problems
from switchboard_client import AsyncSwitchboard
from switchboard_client.webrtc.connection import ReceivedFrame

OVERHEAR_INTERVAL_SECONDS = 0.6


async def call_agent(
    api: AsyncSwitchboard,
    agent_id: str,
    policy: DialoguePolicy,
    speech: PreparedSpeech,
    report: Callable[[Report], None],
    stop: asyncio.Event,
) -> CallSummary:
    """Place one call with a synthetic caller and hold it; ``stop`` makes the caller leave early.

    Raises:
        Stopped: ``stop`` was set before the call was connected.
        Problem: the call could not be placed or connected.
    """
    async with placed_call(api, agent_id, report, stop) as call:
        return await CallSession(call, policy, speech, report).run(stop)


async def phone_agent(
    api: AsyncSwitchboard,
    agent_id: str,
    line: PhoneLine,
    policy: DialoguePolicy,
    speech: PreparedSpeech,
    report: Callable[[Report], None],
    stop: asyncio.Event,
) -> CallSummary:
    """As ``call_agent``, by phone. The call's id is not known before it is over, so none is
    reported.

    Raises:
        Stopped: ``stop`` was set before the call was connected.
        Problem: the call was not taken, or could not be connected.
    """
    from switchboard.caller.phone_peer import PhonePeer

    with client_errors_as_problems(CALL_ADVICE):
        agent = await api.agents.show(agent_id)
    report(Placed(call_id=line.to_number, agent_name=agent.name))
    call = PlacedCall("", line.voice_url, line.auth_token, time.monotonic())
    session = CallSession(call, policy, speech, report, partial(PhonePeer, line))
    summary = await session.run(stop)
    with client_errors_as_problems(CALL_ADVICE):
        newest = (await api.calls.page(limit=1, agent_id=agent_id)).calls[0]
    return summary.model_copy(update={"call_id": str(newest.id)})


class CallSession:
    """A synthetic caller in one call. Used once.

    Args:
        open_peer: its end of the call; a browser's, unless it is told otherwise.
    """

    def __init__(
        self,
        call: PlacedCall,
        policy: DialoguePolicy,
        speech: PreparedSpeech,
        report: Callable[[Report], None],
        open_peer: OpenPeer = CallerPeer,
    ) -> None:
        self._call = call
        self._open_peer = open_peer
        self._policy = policy
        self._speech = speech
        self._report = report
        self._mouth = SpeechQueue()
        self._activity = SpeechActivity()
        self._turn_end = TurnEndDetector()
        self._heard: list[HeardWords] = []
        self._said: list[Say] = []
        self._recognising = 0
        self._over = asyncio.Event()
        self._ended_by: EndedBy = "caller"
        self._end_reason: str | None = None

    async def run(self, stop: asyncio.Event) -> CallSummary:
        """Hold the call until one side ends it or ``stop`` is set.

        Raises:
            Stopped: ``stop`` was set before the call was connected.
            Problem: the call could not be connected.
        """
        peer = self._open_peer(self._mouth, self._live_message, self._report)
        try:
            connecting = peer.connect(self._call.url, self._call.token)
            connected_at = await unless_stopped(stop, connecting)
            set_up_ms = round((connected_at - self._call.requested_at) * 1000, 1)
            self._report(Connected(set_up_ms=set_up_ms))
            ended_at = await self._hold(peer, connected_at, stop)
        finally:
            await peer.leave()
        return summarise(
            call_id=self._call.call_id,
            ended_by=self._ended_by,
            end_reason=self._end_reason,
            connected_at=connected_at,
            ended_at=ended_at,
            said=self._said,
            spoken=self._mouth.spoken,
            heard=self._heard,
            agent=self._activity.intervals,
        )

    async def _hold(self, peer: Peer, connected_at: float, stop: asyncio.Event) -> float:
        """Returns when the call ended; what was heard last is recognised after that."""
        turn_taking = TurnTaking(self._policy, connected_at)
        watch = ReplyWatch(connected_at)
        with ThreadPoolExecutor(1, thread_name_prefix="recogniser") as recogniser:
            async with asyncio.TaskGroup() as tasks:

                def recognise(turn: HeardTurn | None) -> None:
                    if turn:
                        self._recognising += 1
                        tasks.create_task(
                            self._recognise(turn, recogniser, turn_taking, connected_at)
                        )

                async def listen() -> None:
                    async for frame in peer.listen():
                        recognise(self._turn_end.push(frame.samples, frame.received_at))
                        self._notice_onset(frame, watch, connected_at)
                        self._act(turn_taking.tick(self._situation()), connected_at)
                    self._finish(peer.end_of_sound)

                listening = tasks.create_task(listen())
                overhearing = tasks.create_task(self._overhear(recogniser, turn_taking))
                await _first_of(self._over, stop)
                ended_at = time.monotonic()
                listening.cancel()
                overhearing.cancel()
                recognise(self._turn_end.finish())
        return ended_at

    async def _recognise(
        self,
        turn: HeardTurn,
        recogniser: ThreadPoolExecutor,
        turn_taking: TurnTaking,
        connected_at: float,
    ) -> None:
        loop = asyncio.get_running_loop()
        text = await loop.run_in_executor(recogniser, self._speech.transcribe, turn.audio)
        self._recognising -= 1
        words = HeardWords(text, turn.started_at, turn.ended_at)
        self._heard.append(words)
        self._report(Heard(at_seconds=round(turn.ended_at - connected_at, 3), text=text))
        if not self._over.is_set():
            self._act(turn_taking.heard(words, self._situation()), connected_at)

    async def _overhear(self, recogniser: ThreadPoolExecutor, turn_taking: TurnTaking) -> None:
        """Recognise the agent's words while it speaks, for as long as the caller may interrupt."""
        loop = asyncio.get_running_loop()
        while turn_taking.may_interrupt:
            await asyncio.sleep(OVERHEAR_INTERVAL_SECONDS)
            since = self._turn_end.speaking_since
            if since is None or not self._mouth.is_silent:
                continue
            if time.monotonic() - since < OVERHEAR_INTERVAL_SECONDS:
                continue
            audio = self._turn_end.audio_so_far()
            text = await loop.run_in_executor(recogniser, self._speech.transcribe, audio)
            turn_taking.overheard(text, self._situation())

    def _notice_onset(self, frame: ReceivedFrame, watch: ReplyWatch, connected_at: float) -> None:
        self._activity.push(frame.samples, frame.received_at)
        onset = watch.onset(self._activity.intervals, self._mouth.spoken, self._mouth.is_silent)
        if onset:
            self._report(
                AgentAudible(
                    at_seconds=round(onset.at - connected_at, 3), latency_ms=onset.latency_ms
                )
            )

    def _act(self, move: Move | None, connected_at: float) -> None:
        if move is None or self._over.is_set():
            return
        if not isinstance(move, Say):
            self._finish("caller")
            return
        self._said.append(move)
        self._mouth.say(self._speech.line(move.text))
        self._report(
            Saying(
                at_seconds=round(time.monotonic() - connected_at, 3),
                text=move.text,
                is_interruption=move.is_interruption,
            )
        )

    def _situation(self) -> Situation:
        spoken = self._mouth.spoken
        return Situation(
            now=time.monotonic(),
            agent_speaking_since=self._turn_end.speaking_since,
            agent_spoke_at=self._activity.last_speech_at,
            caller_is_speaking=not self._mouth.is_silent,
            caller_spoke_at=spoken[-1].last_sample_at if spoken else None,
            is_recognising=self._recognising > 0,
        )

    def _live_message(self, message: LiveMessage) -> None:
        self._report(Live(body=message.body))
        if isinstance(message.body, CallOver):
            self._end_reason = message.body.end_reason
            self._finish("agent")

    def _finish(self, ended_by: EndedBy) -> None:
        if not self._over.is_set():
            self._ended_by = ended_by
            self._over.set()


async def _first_of(*events: asyncio.Event) -> None:
    waiting = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waiting:
            each.cancel()
