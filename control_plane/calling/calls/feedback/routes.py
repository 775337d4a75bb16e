"""``/v1/calls/{call_id}/feedback``: what somebody thought of a call."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from fastapi import APIRouter

from control_plane.calling.calls import repository
from control_plane.calling.calls.creating.call_caps import Stranger
from control_plane.calling.calls.errors import CallNotFound
from control_plane.calling.calls.feedback.schemas import CallFeedback, FeedbackGiven
from control_plane.identity.authentication.dependencies import AnyCaller, TenantSession
from control_plane.identity.authentication.errors import OriginNotAllowed
from control_plane.platform.http.openapi import AUTHENTICATED, problems

router = APIRouter(prefix="/v1/calls", tags=["calls"])


@router.put(
    "/{call_id}/feedback", responses=problems(*AUTHENTICATED, OriginNotAllowed, CallNotFound)
)
async def give_feedback(
    call_id: UUID, given: FeedbackGiven, caller: AnyCaller, session: TenantSession
) -> CallFeedback:
    """Rate a call, up or down, with a word if you like. It replaces what was given before.

    A publishable key rates only the calls that it has created, and nobody rates a call whose
    caller's data was erased: it is 404.
    """
    feedback = CallFeedback(**given.model_dump(), given_at=datetime.now(UTC))
    stranger = Stranger.behind(caller)
    is_stored = await repository.store_feedback(
        session,
        caller.tenant_id,
        call_id,
        feedback.model_dump(mode="json"),
        created_with=None if stranger is None else stranger.key_id,
    )
    if not is_stored:
        raise CallNotFound
    return feedback
