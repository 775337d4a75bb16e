"""Problems of the operator's routes."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.money.billing.models import LedgerEntry
from control_plane.platform.errors import NotFound, Problem


class PlanExists(Problem):
    status = HTTPStatus.CONFLICT
    code = "plan_exists"
    title = "A plan with this id already exists"


class CreditReferenceTaken(Problem):
    """``transaction_id`` is the ledger entry with the reference."""

    status = HTTPStatus.CONFLICT
    code = "credit_reference_taken"
    title = "This reference was already used for something else"

    @classmethod
    def of(cls, reference: str | None, entry: LedgerEntry) -> CreditReferenceTaken:
        return cls(
            f"The reference '{reference}' was already posted with another type, amount or bucket; "
            "use a new reference.",
            transaction_id=str(entry.id),
        )


class CorrectedEntryNotFound(NotFound):
    code = "transaction_not_found"
    title = "The tenant has no such transaction"
