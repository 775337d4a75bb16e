"""A sample of every event's data, for tests of endpoints and for the OpenAPI document. Pure."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from control_plane.notifying.webhooks.event_names import CALL_EVENTS

_CALL = {
    "call_id": "0198f0a1-0000-7000-8000-000000000001",
    "session_id": "call-0198f0a1-0000-7000-8000-000000000001",
    "agent_id": "4c2b8f6e-0000-4000-8000-000000000002",
}
_TRANSCRIPT = {
    "text": "agent: Hello, Bright Smiles. How can I help?\nuser: My number is +1 415 555 0100.",
    "segments": [
        {
            "speaker": "agent",
            "text": "Hello, Bright Smiles. How can I help?",
            "sequence": 0,
            "started_at_ms": 400,
            "ended_at_ms": 2600,
        },
        {
            "speaker": "user",
            "text": "My number is +1 415 555 0100.",
            "sequence": 1,
            "started_at_ms": 3100,
            "ended_at_ms": 5900,
        },
    ],
}
_FOUND = {
    "summary": "The caller left a phone number.",
    "sentiment": "neutral",
    "structured_data": {"phone": "+14155550100"},
    "evaluation": {"passed": True, "score": 0.9, "reasoning": "The agent asked for a number."},
    "errors": [],
}
_COSTS = {
    "duration": 31.5,
    "cost": 0.04,
    "telecom_cost": 0.02,
    "provider_cost": 0.02,
    "provider_cost_breakdown": {"llm": 0.008, "tts": 0.008, "stt": 0.004},
    "provider_cost_actual": None,
    "provider_cost_actual_breakdown": None,
}
_OF_CALLS: dict[str, dict[str, Any]] = {
    "call.started": _CALL
    | {"channel": "web", "to_number": "web", "started_at": "2026-05-03T12:30:00+00:00"},
    "call.failed": _CALL | {"status": "failed", "reason": "insufficient_funds"},
    "call.completed": _CALL
    | {"status": "completed", "reason": "participant_disconnected"}
    | _COSTS
    | {"intelligence_status": "completed", "transcript": _TRANSCRIPT}
    | _FOUND
    | {"recording": None},
    "call.intelligence.ready": {
        "call_id": _CALL["call_id"],
        "status": "completed",
        "duration": 31.5,
        "cost": 0.04,
        "intelligence_status": "completed",
        "transcript": _TRANSCRIPT,
    }
    | _FOUND,
}
GATEWAY_SAMPLES = frozenset({"call.started", "call.failed"})


def sample_data(event: str, event_id: UUID, tenant_id: UUID) -> dict[str, Any]:
    """
    Args:
        event: one of ``EMITTED_EVENTS``.
    """
    if event in CALL_EVENTS:
        return _OF_CALLS[event]
    return {
        "notification_id": str(event_id),
        "tenant_id": str(tenant_id),
        "event_category": event,
        "title": "A test of your webhook",
        "message": f"This is a sample of {event}; nothing has happened.",
        "metadata": {},
    }


def sample_origin(event: str) -> str:
    return "gateway" if event in GATEWAY_SAMPLES else "api"
