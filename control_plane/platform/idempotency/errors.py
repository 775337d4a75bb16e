"""Problems with an ``Idempotency-Key``."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import Problem


class IdempotencyKeyReused(Problem):
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "idempotency_key_reused"
    title = "This Idempotency-Key was used for another request"
