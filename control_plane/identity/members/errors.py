"""Problems with members and invitations."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import NotFound, Problem


class MemberNotFound(NotFound):
    code = "member_not_found"
    title = "Member not found"


class LastOwner(Problem):
    status = HTTPStatus.CONFLICT
    code = "last_owner"
    title = "The tenant's last owner must stay its owner"


class AlreadyMember(Problem):
    status = HTTPStatus.CONFLICT
    code = "already_member"
    title = "This person is already a member"


class InvitationExists(Problem):
    status = HTTPStatus.CONFLICT
    code = "invitation_exists"
    title = "This address is already invited"


class InvitationNotFound(NotFound):
    code = "invitation_not_found"
    title = "Invitation not found"


class InvitationClosed(Problem):
    status = HTTPStatus.CONFLICT
    code = "invitation_closed"
    title = "The invitation has been accepted or revoked"


class InvitationForSomebodyElse(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "invitation_for_somebody_else"
    title = "The invitation is for another mail address"


class ResendTooSoon(Problem):
    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "resend_too_soon"
    title = "An invitation is mailed at most once a minute"

    def __init__(self, detail: str | None = None, *, retry_after_seconds: int = 1) -> None:
        super().__init__(
            detail or f"Try again in {retry_after_seconds} seconds",
            headers={"Retry-After": str(retry_after_seconds)},
        )
