"""Routes that take longer bodies than others say so themselves, where they are declared::

@router.post("/upload", dependencies=[Depends(BodyLimit(10_000_000, is_spooled=True))])
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute


@dataclass(frozen=True)
class BodyLimit:
    """As a dependency of a route, it does nothing: the middleware looks for it.

    Args:
        bytes: of the whole body.
        may_have_long_texts: commas in the texts of a JSON body do not count, only those between
            its values.
        is_spooled: the body is a file. It is kept on disk and not in memory.
    """

    bytes: int
    may_have_long_texts: bool = False
    is_spooled: bool = False

    async def __call__(self) -> None:
        """Refuse nothing: the body has been received already."""


class OwnBodyLimits:
    """The limits of those of an app's routes that have their own."""

    def __init__(self, routes: Iterable[BaseRoute] = ()) -> None:
        self._limits: list[tuple[re.Pattern[str], set[str], BodyLimit]] = [
            (route.path_regex, route.methods or set(), each.dependency)
            for route in routes
            if isinstance(route, APIRoute)
            for each in route.dependencies
            if isinstance(each.dependency, BodyLimit)
        ]

    def of(self, method: str, path: str) -> BodyLimit | None:
        """``None``: the limit that all routes share."""
        for pattern, methods, limit in self._limits:
            if method in methods and pattern.match(path):
                return limit
        return None
