"""What lists and details show of a call. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row
from sqlalchemy.orm import InstrumentedAttribute

from contracts.money import usd
from control_plane.calls.models import Call, CallParticipant
from control_plane.calls.provider_cost import CHANNELS

LISTED_COLUMNS: tuple[InstrumentedAttribute[Any], ...] = (
    Call.id,
    Call.room_name,
    Call.agent_id,
    Call.status,
    Call.created_at,
    Call.started_at,
    Call.ended_at,
    Call.connected_ms,
    Call.billable_seconds,
    Call.total_cost_micros,
    Call.provider_cost_micros,
    Call.provider_cost_calculated_at,
    Call.end_reason,
    Call.details,
    Call.intelligence_status,
)
PARTICIPANT_COLUMNS: tuple[InstrumentedAttribute[Any], ...] = (
    CallParticipant.call_id,
    CallParticipant.id,
    CallParticipant.role,
    CallParticipant.transport,
    CallParticipant.identity,
    CallParticipant.status,
)


def call_fields(
    call: Call | Row[Any], participants: Sequence[CallParticipant | Row[Any]]
) -> dict[str, Any]:
    """The fields of ``CallView``, for its validation; rows hold the columns above."""
    costs = call.provider_cost_micros
    return {
        "id": call.id,
        "room_name": call.room_name,
        "agent_id": call.agent_id,
        "status": call.status,
        "created_at": call.created_at,
        "started_at": call.started_at,
        "ended_at": call.ended_at,
        "bill_duration": None if call.ended_at is None else (call.connected_ms or 0) / 1000,
        "billable_seconds": call.billable_seconds,
        "total_cost": None if call.total_cost_micros is None else usd(call.total_cost_micros),
        "provider_cost": None if costs is None else usd(sum(costs.values())),
        "provider_cost_breakdown": None
        if costs is None
        else {channel: usd(costs[channel]) for channel in CHANNELS},
        "provider_cost_calculated_at": call.provider_cost_calculated_at,
        "end_reason": call.end_reason,
        "metadata": call.details,
        "intelligence_status": call.intelligence_status,
        "participant_count": len(participants),
        "primary_participant": {
            "identity": participants[0].identity,
            "transport": participants[0].transport,
        }
        if participants
        else None,
        "participants": [
            {
                "id": each.id,
                "role": each.role,
                "transport": each.transport,
                "identity": each.identity,
                "status": each.status,
            }
            for each in participants
        ],
    }
