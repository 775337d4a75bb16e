"""The webhooks that an analysis sends. Source: API spec, "Events", "Payload data".

Their ``origin`` is ``api``, so their envelope has a ``type``. What was said, what was found in it
and the recording are added when an event is delivered (``delivered_payload.py``): so no event holds
a transcript that has to be erased, and the recording's address is signed when it is sent.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.money import usd
from control_plane.calling.calls.ending.actual_cost import total_micros
from control_plane.calling.calls.ending.cost_breakdown import CHANNELS
from control_plane.calling.calls.models import Call
from control_plane.calling.intelligence.models import CallAnalysis
from control_plane.platform.outbox.models import OutboxEvent


def add_rich_call_completed(session: AsyncSession, call: Call, analysis: CallAnalysis) -> None:
    _add(session, call, "call.completed", rich_call_completed(call, analysis))


def add_intelligence_ready(session: AsyncSession, call: Call, analysis: CallAnalysis) -> None:
    _add(session, call, "call.intelligence.ready", intelligence_ready(call, analysis))


def rich_call_completed(call: Call, analysis: CallAnalysis) -> dict[str, Any]:
    """``data`` of the rich ``call.completed``, but for what was said and the recording.

    ``cost`` is what the tenant was charged. ``provider_cost`` is the part of it that comes from
    the price rows of STT, LLM and TTS, and ``telecom_cost`` is the rest: the fee for the call and
    the minutes of its phones.
    ``provider_cost_actual`` is what providers bill the installation, as far as it is known now.
    """
    total = call.total_cost_micros or 0
    by_channel = call.provider_cost_micros or dict.fromkeys(CHANNELS, 0)
    providers = sum(by_channel.values())
    actual = call.provider_cost_actual_micros
    return {
        "call_id": str(call.id),
        "session_id": call.room_name,
        "agent_id": str(call.agent_id),
        "status": call.status,
        "reason": call.end_reason,
        "duration": _duration_seconds(call),
        "cost": usd(total),
        "telecom_cost": usd(total - providers),
        "provider_cost": usd(providers),
        "provider_cost_breakdown": {channel: usd(by_channel[channel]) for channel in CHANNELS},
        "provider_cost_actual": actual and _known_usd(total_micros(actual)),
        "provider_cost_actual_breakdown": actual
        and {channel: _known_usd(actual[channel]) for channel in CHANNELS},
        "intelligence_status": call.intelligence_status,
        "sentiment": analysis.sentiment,
        "errors": analysis.errors,
    }


def intelligence_ready(call: Call, analysis: CallAnalysis) -> dict[str, Any]:
    """``data`` of ``call.intelligence.ready``, but for what was said."""
    return {
        "call_id": str(call.id),
        "status": call.status,
        "duration": _duration_seconds(call),
        "cost": usd(call.total_cost_micros or 0),
        "intelligence_status": call.intelligence_status,
        "sentiment": analysis.sentiment,
        "errors": analysis.errors,
    }


def _known_usd(micros: int | None) -> float | None:
    return None if micros is None else usd(micros)


def _duration_seconds(call: Call) -> float:
    return (call.connected_ms or 0) / 1000


def _add(session: AsyncSession, call: Call, event: str, data: dict[str, Any]) -> None:
    session.add(OutboxEvent(tenant_id=call.tenant_id, event=event, data=data, origin="api"))
