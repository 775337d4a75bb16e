"""What can go wrong when somebody wants to watch a call."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import Problem


class TooManyViewers(Problem):
    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "too_many_viewers"
    title = "Too many calls are being watched"

    def __init__(self) -> None:
        super().__init__(
            "This server cannot take more viewers at the moment; try again shortly",
            headers={"Retry-After": "10"},
        )
