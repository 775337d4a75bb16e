"""One call of a person at this machine's microphone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from contracts.live_messages import CallOver, LiveMessage
from switchboard.caller.activity import SpeechActivity
from switchboard.caller.microphone import Microphone
from switchboard.caller.peer import CallerPeer
from switchboard.caller.placed_call import PlacedCall, unless_stopped
from switchboard.caller.reply_watch import ReplyWatch
from switchboard.caller.reports import AgentAudible, Connected, EndedBy, Live, Report


async def talk(
    call: PlacedCall,
    microphone: Microphone,
    report: Callable[[Report], None],
    stop: asyncio.Event,
) -> tuple[EndedBy, str | None]:
    """Hold the call until the other side ends it or ``stop`` is set. Returns who has ended it, and
    the reason that the other side gave.

    Raises:
        Stopped: ``stop`` was set before the call was connected.
        Problem: the call could not be connected.
    """

    ended_by: EndedBy = "caller"
    reason: str | None = None

    def live(message: LiveMessage) -> None:
        nonlocal ended_by, reason
        report(Live(body=message.body))
        if isinstance(message.body, CallOver):
            ended_by, reason = "agent", message.body.end_reason
            stop.set()

    async def listen(connected_at: float) -> None:
        nonlocal ended_by
        try:
            await _listen(peer, microphone, connected_at, report)
            if not stop.is_set():
                ended_by = peer.end_of_sound
        finally:
            stop.set()

    peer = CallerPeer(microphone, live, report)
    try:
        connected_at = await unless_stopped(stop, peer.connect(call.url, call.token))
        report(Connected(set_up_ms=round((connected_at - call.requested_at) * 1000, 1)))
        listening = asyncio.create_task(listen(connected_at))
        await stop.wait()
        listening.cancel()
    finally:
        await peer.leave()
    return ended_by, reason


async def _listen(
    peer: CallerPeer,
    microphone: Microphone,
    connected_at: float,
    report: Callable[[Report], None],
) -> None:
    activity = SpeechActivity()
    watch = ReplyWatch(connected_at)
    async for frame in peer.listen():
        microphone.play(frame.samples)
        activity.push(frame.samples, frame.received_at)
        onset = watch.onset(activity.intervals, microphone.spoken, caller_is_silent=True)
        if onset:
            report(
                AgentAudible(
                    at_seconds=round(onset.at - connected_at, 3), latency_ms=onset.latency_ms
                )
            )
