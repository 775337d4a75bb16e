"""Problems that only the operator's routes answer with."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import Problem


class PlanExists(Problem):
    status = HTTPStatus.CONFLICT
    code = "plan_exists"
    title = "There is a plan with this id already"


class CreditReferenceTaken(Problem):
    """``transaction_id`` is the ledger entry that has the reference."""

    status = HTTPStatus.CONFLICT
    code = "credit_reference_taken"
    title = "This reference was used for another credit"
