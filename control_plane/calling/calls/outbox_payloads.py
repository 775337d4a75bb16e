"""What the outbox tells of a call while it runs and when nothing is known but its transcript.

Source: API spec, "Events", "Payload data". These are the events of the gateway: their envelope has
no ``type``. What the analysis adds, the rich ``call.completed`` and ``call.intelligence.ready``,
is of origin ``api``.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import Transport
from control_plane.calling.calls.models import Call, CallParticipant, Segment
from control_plane.platform.outbox.models import OutboxEvent


def call_started(call: Call, first: CallParticipant | None, at: datetime) -> dict[str, Any]:
    """``data`` of the one ``call.started`` of a call whose first media is ``first``'s."""
    number = first.identity if first and first.transport == Transport.PSTN.value else None
    return {
        **_whose(call),
        "channel": "phone" if number else "web",
        "to_number": number or "web",
        "started_at": at.isoformat(),
    }


def leg_started(call: Call, leg: CallParticipant, at: datetime) -> dict[str, Any]:
    """``data`` of the ``call.started`` that each phone leg has besides."""
    return call_started(call, leg, at) | {"participant_id": str(leg.id)}


def call_failed(call: Call) -> dict[str, Any]:
    """``data`` of ``call.failed``. ``status`` is ``failed`` for a phone that was busy, too: what
    happened is the ``reason``."""
    return {**_whose(call), "status": "failed", "reason": call.end_reason}


def lean_call_completed(call: Call, segments: Sequence[Segment]) -> dict[str, Any]:
    """``data`` of the ``call.completed`` of a call that is not going to be analysed now.

    Receivers prefer the rich one, which a later analysis sends, by its ``intelligence_status``.
    """
    return {
        **_whose(call),
        "status": call.status,
        "reason": call.end_reason,
        "duration": (call.connected_ms or 0) / 1000,
        "cost": None,
        "intelligence_status": "pending",
        "transcript": transcript(segments),
    }


def transcript(segments: Sequence[Segment]) -> dict[str, Any]:
    """``transcript`` of every payload that has one: ``text`` and ``segments``."""
    return {
        "text": "\n".join(f"{segment.speaker}: {segment.text}" for segment in segments),
        "segments": [
            {
                "speaker": segment.speaker,
                "text": segment.text,
                "sequence": segment.sequence,
                "started_at_ms": segment.started_at_ms,
                "ended_at_ms": segment.ended_at_ms,
            }
            for segment in segments
        ],
    }


def add_call_started(
    session: AsyncSession, call: Call, first: CallParticipant | None, at: datetime
) -> None:
    """Tell that the live session began: once per call."""
    _add(session, call, "call.started", call_started(call, first, at))


def add_leg_started(session: AsyncSession, call: Call, leg: CallParticipant, at: datetime) -> None:
    """Tell that a phone leg's media connected: once per leg."""
    _add(session, call, "call.started", leg_started(call, leg, at))


def add_call_failed(session: AsyncSession, call: Call) -> None:
    _add(session, call, "call.failed", call_failed(call))


def add_lean_call_completed(session: AsyncSession, call: Call, segments: Sequence[Segment]) -> None:
    """Tell of a completed call whose analysis cannot be begun now."""
    _add(session, call, "call.completed", lean_call_completed(call, segments))


def _whose(call: Call) -> dict[str, Any]:
    return {
        "call_id": str(call.id),
        "session_id": call.room_name,
        "agent_id": str(call.agent_id),
    }


def _add(
    session: AsyncSession,
    call: Call,
    event: Literal["call.started", "call.failed", "call.completed"],
    data: dict[str, Any],
) -> None:
    session.add(OutboxEvent(tenant_id=call.tenant_id, event=event, data=data, origin="gateway"))
