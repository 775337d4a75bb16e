"""Problems of the operator's routes."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import Problem


class PlanExists(Problem):
    status = HTTPStatus.CONFLICT
    code = "plan_exists"
    title = "A plan with this id already exists"


class CreditReferenceTaken(Problem):
    """``transaction_id`` is the ledger entry with the reference."""

    status = HTTPStatus.CONFLICT
    code = "credit_reference_taken"
    title = "This reference was already used for another credit"
