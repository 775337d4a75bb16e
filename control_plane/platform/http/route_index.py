"""Finds a request's route among those that begin as its path does, and not among all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from fastapi import APIRouter
from fastapi.routing import iter_route_contexts
from starlette.datastructures import URLPath
from starlette.routing import BaseRoute, Match, NoMatchFound
from starlette.types import Receive, Scope, Send

_SEGMENTS = 2
"""Of a path, that all its routes have in common: ``/v1/agents``."""


class RouteIndex(BaseRoute):
    """Stands before the routes of ``included``, and answers for all paths under ``root``: each
    router is asked only for paths that begin as one of its own.

    Args:
        root: one segment, as ``/v1``.
        included: routes that are all of included routers, and have no parameter in the first two
            segments of their paths.
    """

    def __init__(self, root: str, included: Iterable[BaseRoute]) -> None:
        self._root = f"{root}/"
        groups: dict[str, APIRouter] = defaultdict(APIRouter)
        for route in included:
            for beginning in {_beginning_of(path) for path in _paths_of(route)}:
                groups[beginning].routes.append(route)
        self._groups = dict(groups)
        self._nothing = APIRouter()

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        path: str = scope["path"]
        is_below = path.startswith(self._root) and _beginning_of(path) != self._root
        return Match.FULL if is_below else Match.NONE, {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        group = self._groups.get(_beginning_of(scope["path"]), self._nothing)
        await group(scope, receive, send)

    def url_path_for(self, name: str, /, **path_params: Any) -> URLPath:
        raise NoMatchFound(name, path_params)


def _paths_of(route: BaseRoute) -> list[str]:
    return [str(context.path) for context in iter_route_contexts([route])]


def _beginning_of(path: str) -> str:
    return "/".join(path.split("/", _SEGMENTS + 1)[: _SEGMENTS + 1])
