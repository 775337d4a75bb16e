"""Why an agent takes no calls: the operator has paused it, or stopped all calls."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import Problem

CALLS_DISABLED_RETRY_SECONDS = 60


class AgentAdminPaused(Problem):
    status = HTTPStatus.LOCKED
    code = "agent_admin_paused"
    title = "The agent is paused by an administrator"

    def __init__(self, reason: str) -> None:
        super().__init__(f"The agent is paused by an administrator: {reason}", reason=reason)


class PlatformCallsDisabled(Problem):
    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "platform_calls_disabled"
    title = "Calls are disabled platform-wide"

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message, headers={"Retry-After": str(CALLS_DISABLED_RETRY_SECONDS)})
