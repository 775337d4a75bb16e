"""What the agent says before the call ends, and how long it may take."""

from __future__ import annotations

import asyncio

from runtime.call.end_cause import Leave
from runtime.conversation.conversation import Conversation
from runtime.media.room import AgentVoice

MAX_FAREWELL_SECONDS = 10.0
LINGER_SECONDS = 0.3
"""Between the last sample sent to the legs and the hang-up, so that people hear it."""


async def say_farewell(
    leave: Leave, text: str, conversation: Conversation, voice: AgentVoice
) -> None:
    """Finish or replace what the agent is saying, as ``leave`` asks. Returns when it was heard."""
    match leave:
        case Leave.AFTER_SPEECH:
            await conversation.finish_speaking()
        case Leave.FAREWELL:
            await conversation.stop_speaking()
            await conversation.say(text, interruptible=False)
        case Leave.APOLOGY:
            await conversation.apologise(text)
        case Leave.AT_ONCE:
            return
    await voice.wait_played()
    await asyncio.sleep(LINGER_SECONDS)


def farewell_seconds(started_at: float | None, max_duration_seconds: float, now: float) -> float:
    """How long a farewell may take. It must not outlast the maximum duration, or the customer
    would pay for it.

    Args:
        started_at: when the first leg connected; ``None`` if none has. Same clock as ``now``.
    """
    if started_at is None:
        return MAX_FAREWELL_SECONDS
    over_at = started_at + max_duration_seconds - LINGER_SECONDS
    return max(0.0, min(MAX_FAREWELL_SECONDS, over_at - now))
