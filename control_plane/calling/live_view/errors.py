"""What can go wrong when somebody wants to watch."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import Problem


class TooManyViewers(Problem):
    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "too_many_viewers"
    title = "Too many calls are being watched"

    def __init__(self) -> None:
        super().__init__(
            "This server has as many viewers as it takes; try again shortly",
            headers={"Retry-After": "10"},
        )
