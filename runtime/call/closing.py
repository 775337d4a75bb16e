"""Closing what a call opened, each part in its own time, whatever happens to the others."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Coroutine
from typing import Any
from uuid import UUID

import structlog

from contracts.end_reasons import EndReason
from contracts.events import LegLeft
from contracts.live_messages import CallOver, LiveMessage
from runtime.call.fact_log import FactLog
from runtime.conversation.conversation import Conversation
from runtime.media.room import Room
from runtime.recording.call_recording import CallRecording

logger = structlog.get_logger(__name__)

CALL_OVER_SECONDS = 0.1
"""How long the message that the call is over has to leave before the legs are closed."""
CLOSE_SECONDS = 5.0
"""How long the room, the conversation and the recording each have to close."""
CANCELLED_SECONDS = 0.5
"""How long a part that is late has, once it is cancelled, for what it does then."""


async def close_parts(
    facts: FactLog,
    reason: EndReason,
    legs: Collection[UUID],
    *,
    room: Room | None,
    conversation: Conversation | None,
    recording: CallRecording | None,
) -> None:
    """Close the room with its ``legs``, then the conversation, then the recording. A part that
    fails or hangs is logged; only cancellation is raised."""
    if room is not None:
        await _closing("room", _close_room(room, legs, reason, facts))
    if conversation is not None:
        await _closing("conversation", conversation.aclose())
    if recording is not None:
        await _closing("recording", recording.finish())


async def _close_room(
    room: Room, legs: Collection[UUID], reason: EndReason, facts: FactLog
) -> None:
    try:
        if legs:
            # Viewers learn it from ``call.ended``, but by then the legs are closed.
            room.broadcast(LiveMessage(body=CallOver(end_reason=reason.value)))
            await asyncio.sleep(CALL_OVER_SECONDS)
        for participant_id in legs:
            facts.fact(LegLeft(participant_id=participant_id, cause="call_ended"))
    finally:
        await room.aclose()


async def _closing(part: str, closing: Coroutine[Any, Any, None]) -> None:
    # A task of its own: a part that is cancelled may hang again in what it does then, and one that
    # awaits a task that was cancelled looks as if the call were.
    task = asyncio.create_task(closing, name=f"close-{part}")
    try:
        await asyncio.wait({task}, timeout=CLOSE_SECONDS)
    finally:
        is_late = not task.done()
        task.cancel()
        await asyncio.wait({task}, timeout=CANCELLED_SECONDS)
    if is_late:
        logger.error("call.close_failed", part=part, error="it was late")
    elif task.cancelled():
        logger.error("call.close_failed", part=part, error="it was cancelled")
    elif (error := task.exception()) is not None:
        logger.error("call.close_failed", part=part, exc_info=error)
