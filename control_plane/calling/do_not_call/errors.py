"""What can go wrong with the do-not-call list."""

from __future__ import annotations

from control_plane.platform.errors import InvalidRequest, NotFound


class NumberNotListed(NotFound):
    code = "do_not_call_number_not_found"
    title = "The number is not on the do-not-call list"


class NumberOnDoNotCallList(InvalidRequest):
    """``errors`` names the participant."""

    code = "do_not_call"
    title = "A participant is on the do-not-call list"
