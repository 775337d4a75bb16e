"""What can go wrong with numbers. Source of the statuses: API spec, "Errors", "Numbers"."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import NotFound, Problem


class InvalidPhoneNumber(Problem):
    status = HTTPStatus.BAD_REQUEST
    code = "invalid_phone_number"
    title = "The text is not a phone number"


class UnsupportedCountry(Problem):
    status = HTTPStatus.BAD_REQUEST
    code = "unsupported_country"
    title = "The number belongs to no country whose numbers can be used"


class AgentNotInTenant(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "agent_not_in_tenant"
    title = "The agent is not one of yours"


class NumberTaken(Problem):
    status = HTTPStatus.CONFLICT
    code = "number_taken"
    title = "The number belongs to another tenant"


class TooManyNumbers(Problem):
    """``limit`` is what the tenant's plan allows, ``used`` what it has."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "quota_exceeded.phone_numbers_max"
    title = "Your plan allows no more phone numbers"

    def __init__(self, limit: int, used: int) -> None:
        super().__init__(
            f"Your plan allows {limit} phone numbers, and you have {used}: remove one, or ask for "
            "another plan",
            limit=limit,
            used=used,
        )


class NumberNotFound(NotFound):
    code = "number_not_found"
    title = "The tenant has no such number"
