"""The call that a visitor asks for, as every call is asked for."""

from __future__ import annotations

from uuid import uuid4

from control_plane.calling.calls.schemas import CallCreate, ParticipantInput
from control_plane.calling.sharing.visiting.share import Share


def wanted_call(share: Share, *, is_paid_by_tester: bool = False) -> CallCreate:
    identity = share.email or f"visitor-{uuid4()}"
    named = "tester_id" if share.kind == "tester" else "share_link_id"
    return CallCreate(
        agent_id=share.agent_id,
        participants=[ParticipantInput(transport="webrtc", identity=identity)],
        metadata={named: str(share.id), **({"paid_by": "tester"} if is_paid_by_tester else {})},
    )
