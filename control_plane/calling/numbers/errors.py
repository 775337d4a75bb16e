"""What can go wrong with numbers."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import NotFound, Problem


class NumberTaken(Problem):
    status = HTTPStatus.CONFLICT
    code = "number_taken"
    title = "The number belongs to another tenant"


class NumberNotFound(NotFound):
    code = "number_not_found"
    title = "The tenant has no such number"
