"""``/v1/operator/platform``: switches for the whole installation."""

from __future__ import annotations

from datetime import UTC, datetime

import structlog
from fastapi import APIRouter

from control_plane.calling.pauses import repository
from control_plane.calling.pauses.models import PlatformSwitches
from control_plane.identity.authentication.dependencies import OperatorSession
from control_plane.operator.schemas import PlatformView, PlatformWanted
from control_plane.platform.http.openapi import AUTHENTICATED, problems

router = APIRouter(
    prefix="/v1/operator/platform", tags=["operator"], responses=problems(*AUTHENTICATED)
)
_log = structlog.get_logger(__name__)


@router.get("")
async def get_platform(session: OperatorSession) -> PlatformView:
    """Get whether the installation takes new calls."""
    return _view(await repository.platform_switches(session))


@router.put("")
async def set_platform(wanted: PlatformWanted, session: OperatorSession) -> PlatformView:
    """Stop new calls in the whole installation, or allow them again.

    While calls are disabled, `POST /v1/calls` answers 503 with your message. Running calls
    continue.
    """
    switches = await repository.platform_switches(session, for_update=True)
    switches.calls_enabled = wanted.calls_enabled
    switches.message = wanted.message
    switches.updated_at = datetime.now(UTC)
    await session.flush()
    _log.warning("platform_calls_switched", enabled=wanted.calls_enabled, message=wanted.message)
    return _view(switches)


def _view(switches: PlatformSwitches) -> PlatformView:
    return PlatformView(
        calls_enabled=switches.calls_enabled,
        message=switches.message,
        updated_at=switches.updated_at,
    )
