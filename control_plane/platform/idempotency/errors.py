"""Problems with an ``Idempotency-Key``."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import Problem


class IdempotencyKeyInUse(Problem):
    status = HTTPStatus.CONFLICT
    code = "idempotency_key_in_use"
    title = "The first request with this Idempotency-Key is still being carried out"

    def __init__(self, *, retry_after_seconds: int) -> None:
        super().__init__(
            "Send the request again in a moment, with the same key, to get its response",
            headers={"Retry-After": str(retry_after_seconds)},
        )


class IdempotencyKeyReused(Problem):
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "idempotency_key_reused"
    title = "This Idempotency-Key was used for another request"
