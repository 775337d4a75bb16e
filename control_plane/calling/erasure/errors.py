"""What can go wrong with erasing a caller's data."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import NotFound, Problem


class ErasureNotFound(NotFound):
    code = "erasure_not_found"
    title = "Erasure not found"


class ProofNotAvailable(NotFound):
    code = "erasure_proof_not_available"
    title = "The erasure is not completed yet"


class CallerInCall(Problem):
    """``call_ids`` lists up to 100 of the calls."""

    status = HTTPStatus.CONFLICT
    code = "caller_in_call"
    title = "A call of this caller is running or waits to be dialed"
