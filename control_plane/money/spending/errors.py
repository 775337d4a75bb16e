"""Too many requests that spend money."""

from __future__ import annotations

from http import HTTPStatus
from typing import Literal

from control_plane.platform.errors import Problem

SpendingPolicy = Literal["minute", "day", "at_once"]


class SpendingLimited(Problem):
    """``policy`` is the limit that was reached (``minute``, ``day`` or ``at_once``); ``limit`` and
    ``used`` count the tenant's requests."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "spending_limited"
    title = "Too many requests that use language models"

    def __init__(
        self, detail: str, policy: SpendingPolicy, limit: int, *, retry_after_seconds: int
    ) -> None:
        super().__init__(
            f"{detail}; try again in {retry_after_seconds} s",
            headers={"Retry-After": str(retry_after_seconds)},
            policy=policy,
            limit=limit,
            used=limit,
        )
