"""Outbox events of a running call, and of one that ends without an analysis.

Source: API spec, "Events", "Payload data". Their origin is ``gateway``: their envelope has no
``type``. The events that an analysis adds, the rich ``call.completed`` and
``call.intelligence.ready``, have the origin ``api``. Transcripts are added when an event is
delivered (``intelligence/delivered_payload.py``).
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
    """``data`` of the call's own ``call.started``.

    Args:
        first: the participant whose media connected first.
    """
    number = first.identity if first and first.transport == Transport.PSTN.value else None
    return {
        **_identifiers(call),
        "channel": "phone" if number else "web",
        "to_number": number or "web",
        "started_at": at.isoformat(),
    }


def leg_started(call: Call, leg: CallParticipant, at: datetime) -> dict[str, Any]:
    """``data`` of the additional ``call.started`` that is sent for each phone leg."""
    return call_started(call, leg, at) | {"participant_id": str(leg.id)}


def call_failed(call: Call) -> dict[str, Any]:
    """``data`` of ``call.failed``.

    ``status`` is always ``failed``, also for a busy phone; ``reason`` tells what happened.
    """
    return {**_identifiers(call), "status": "failed", "reason": call.end_reason}


def lean_call_completed(call: Call) -> dict[str, Any]:
    """``data`` of the ``call.completed`` of a call that is not analysed now, but for its
    ``transcript``.

    If the call is analysed later, a rich ``call.completed`` follows. Receivers recognise it by its
    ``intelligence_status``.
    """
    return {
        **_identifiers(call),
        "status": call.status,
        "reason": call.end_reason,
        "duration": (call.connected_ms or 0) / 1000,
        "cost": None,
        "intelligence_status": "pending",
    }


def transcript(segments: Sequence[Segment]) -> dict[str, Any]:
    """The ``transcript`` of all payloads that have one: ``text`` and ``segments``."""
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
    """The session began; sent once for each call."""
    _add(session, call, "call.started", call_started(call, first, at))


def add_leg_started(session: AsyncSession, call: Call, leg: CallParticipant, at: datetime) -> None:
    """A phone leg's media connected; sent once for each leg."""
    _add(session, call, "call.started", leg_started(call, leg, at))


def add_call_failed(session: AsyncSession, call: Call) -> None:
    _add(session, call, "call.failed", call_failed(call))


def add_lean_call_completed(session: AsyncSession, call: Call) -> None:
    """The call is completed and cannot be analysed now."""
    _add(session, call, "call.completed", lean_call_completed(call))


def _identifiers(call: Call) -> dict[str, Any]:
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
