"""Problems with a tenant's credit."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import Problem


class BalanceTooLow(Problem):
    status = HTTPStatus.CONFLICT
    code = "balance_too_low"
    title = "The balance is too low"


class InsufficientCredits(Problem):
    status = HTTPStatus.PAYMENT_REQUIRED
    code = "insufficient_credits"
    title = "Insufficient credits"
