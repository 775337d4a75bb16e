"""Too many requests."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import Problem


class RateLimited(Problem):
    """``policy`` is the limit that was exceeded; ``limit`` and ``used`` count requests in its
    window, or seconds of waiting (``schema_wait``)."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "rate_limited"
    title = "Too many requests"
