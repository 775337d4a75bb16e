"""What the operator's switches and routes refuse with."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import NotFound, Problem

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


class TenantNotFound(NotFound):
    code = "tenant_not_found"
    title = "Tenant not found"


class PlanExists(Problem):
    status = HTTPStatus.CONFLICT
    code = "plan_exists"
    title = "There is a plan with this id already"


class CreditReferenceTaken(Problem):
    """``transaction_id`` is the ledger entry that has the reference."""

    status = HTTPStatus.CONFLICT
    code = "credit_reference_taken"
    title = "This reference was used for another credit"
