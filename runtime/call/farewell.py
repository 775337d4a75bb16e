"""What the agent says before the call ends, and how long it may take."""

from __future__ import annotations

import asyncio

from runtime.call.end_cause import Leave
from runtime.conversation.conversation import Conversation
from runtime.media.room import AgentVoice, Samples

MOST_SILENT_SECONDS = 10.0
"""For which nothing of a farewell can be heard before it is given up."""
LINGER_SECONDS = 0.3
"""Between the last sample sent to the legs and the hang-up, so that people hear it."""
_LOOK_SECONDS = 0.25
"""A voice tells nobody when it has something to say again."""


async def say_farewell(
    leave: Leave, text: str, conversation: Conversation, voice: AgentVoice
) -> None:
    """Finish or replace what the agent is saying, as ``leave`` asks. Returns when it was heard.

    An agent that hangs up without a word says ``text``.
    """
    match leave:
        case Leave.AFTER_SPEECH:
            if not await conversation.finish_speaking():
                await conversation.say(text, interruptible=False)
        case Leave.FAREWELL:
            await conversation.stop_speaking()
            await conversation.say(text, interruptible=False)
        case Leave.APOLOGY:
            await conversation.apologise(text)
        case Leave.AT_ONCE:
            return
    await _heard_to_the_end(voice)


async def play_recorded(apology: Samples, voice: AgentVoice) -> None:
    """Say ``apology`` where there is no conversation that could. Returns when it was heard."""
    voice.push(apology)
    await _heard_to_the_end(voice)


async def _heard_to_the_end(voice: AgentVoice) -> None:
    await voice.wait_played()
    await asyncio.sleep(LINGER_SECONDS)


async def falls_silent(voice: AgentVoice) -> None:
    """Return when ``voice`` has said nothing for ``MOST_SILENT_SECONDS``, also while someone
    who cuts in, or a noise, makes it pause."""
    loop = asyncio.get_running_loop()
    silent_since = loop.time()
    while loop.time() - silent_since < MOST_SILENT_SECONDS:
        await asyncio.sleep(_LOOK_SECONDS)
        if voice.queued_seconds and not voice.is_paused:
            silent_since = loop.time()


def farewell_seconds(started_at: float, max_duration_seconds: float, now: float) -> float:
    """How long a farewell may take. It must not outlast the maximum duration, or the customer
    would pay for it.

    Args:
        started_at: when the first leg connected. Same clock as ``now``.
    """
    return max(0.0, started_at + max_duration_seconds - LINGER_SECONDS - now)
