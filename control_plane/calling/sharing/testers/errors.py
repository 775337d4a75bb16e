"""What can go wrong with testers. Source: API spec, "Sharing" under Errors."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import InvalidRequest, NotFound, Problem


class InvalidTesterInput(InvalidRequest):
    code = "invalid_tester_input"
    title = "The tester's mail address, minutes or expiry is not valid"


class FreeMinutesRequired(Problem):
    status = HTTPStatus.BAD_REQUEST
    code = "free_minutes_required"
    title = "This agent's testers need free minutes"


class TesterNotFound(NotFound):
    code = "tester_not_found"
    title = "Tester not found"


class TesterLimitReached(Problem):
    status = HTTPStatus.CONFLICT
    code = "tester_limit_reached"
    title = "The agent has as many testers as it may have"


class TesterAlreadyInvited(Problem):
    status = HTTPStatus.CONFLICT
    code = "tester_already_invited"
    title = "This mail address is already invited to the agent"


class TesterAddressLost(Problem):
    status = HTTPStatus.CONFLICT
    code = "tester_address_lost"
    title = "The invitation's address cannot be decrypted: revoke it and invite the tester again"


class TesterResendCooldown(Problem):
    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "tester_resend_cooldown"
    title = "An invitation is mailed at most once a minute"

    def __init__(self, retry_after_seconds: int) -> None:
        super().__init__(
            f"Try again in {retry_after_seconds} seconds",
            headers={"Retry-After": str(retry_after_seconds)},
        )


class TesterInviteSendFailed(Problem):
    status = HTTPStatus.BAD_GATEWAY
    code = "tester_invite_send_failed"
    title = "The mail server did not accept the invitation"
