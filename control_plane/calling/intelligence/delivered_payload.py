"""What an event of a call tells when it is delivered. Source: API spec, "Payload data"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.calls.outbox_payloads import transcript
from control_plane.calling.intelligence import repository
from control_plane.calling.intelligence.models import CallAnalysis
from control_plane.calling.recordings.repository import latest_recording
from control_plane.calling.recordings.views import recording_view
from control_plane.platform.settings import ControlPlaneSettings

_WITH_WORDS = ("call.completed", "call.intelligence.ready")


async def delivered_payload(
    session: AsyncSession,
    settings: ControlPlaneSettings,
    tenant_id: UUID,
    event: str,
    data: Mapping[str, Any],
    origin: str,
) -> dict[str, Any]:
    """The envelope's ``data``: what the outbox holds, and what was said in the call.

    What was erased meanwhile is not there any more. A fact that a process of the previous release
    has added holds everything already.
    """
    if event not in _WITH_WORDS or "transcript" in data:
        return dict(data)
    call_id = UUID(data["call_id"])
    whole = dict(data)
    whole["transcript"] = transcript(await repository.transcript(session, tenant_id, call_id))
    if origin == "gateway":
        return whole
    analysis = await repository.find(session, tenant_id, call_id)
    whole |= _found(analysis)
    if event == "call.completed":
        whole["recording"] = await _recording(session, settings, tenant_id, call_id)
    return whole


def _found(analysis: CallAnalysis | None) -> dict[str, Any]:
    evaluation = analysis and analysis.evaluation
    return {
        "summary": analysis and analysis.summary,
        "structured_data": analysis and analysis.structured_data,
        "evaluation": evaluation
        and {name: evaluation[name] for name in ("passed", "score", "reasoning")},
    }


async def _recording(
    session: AsyncSession, settings: ControlPlaneSettings, tenant_id: UUID, call_id: UUID
) -> dict[str, Any] | None:
    recording = await latest_recording(session, tenant_id, call_id)
    if recording is None:
        return None
    return (await recording_view(recording, settings)).model_dump(mode="json")
