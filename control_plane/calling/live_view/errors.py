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


class ViewerShareUsedUp(Problem):
    """``limit`` is the number of streams that one tenant may have open on one server."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "viewer_share_used_up"
    title = "Your tenant watches too many calls at once"

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"A tenant may have {limit} streams open at once on one server; close some of them",
            headers={"Retry-After": "10"},
            limit=limit,
        )
