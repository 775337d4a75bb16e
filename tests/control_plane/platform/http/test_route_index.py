"""A path is looked up among the routes that begin as it does, with the same result as among all."""

from __future__ import annotations

from http import HTTPStatus

import httpx2
import pytest
from fastapi import APIRouter, FastAPI, Request
from fastapi.routing import iter_route_contexts
from starlette.routing import BaseRoute, Match
from starlette.types import Scope

from control_plane.app import create_app
from control_plane.platform.http.route_index import RouteIndex
from control_plane.platform.settings import ControlPlaneSettings

THING = "5c3c2d7e"


def _router(*paths: str, prefix: str = "") -> APIRouter:
    router = APIRouter(prefix=prefix)
    for path in paths:

        @router.get(path)
        async def route(request: Request) -> str:
            return str(request.scope["route"].path)

    return router


def _included() -> list[BaseRoute]:
    every = APIRouter()
    every.include_router(_router("/healthz"))
    every.include_router(_router("/fixed", prefix="/v1/things"))
    every.include_router(_router("", "/{thing_id}", prefix="/v1/things"))
    every.include_router(_router("/v1/things/{thing_id}/others", "/v1/others/{other_id}"))
    return list(every.routes)


def _app(*, is_indexed: bool) -> FastAPI:
    app = FastAPI()
    included = _included()
    if is_indexed:
        app.router.routes.append(RouteIndex("/v1", included))
    app.router.routes.extend(included)
    return app


PATHS = (
    "/healthz",
    "/v1/things",
    "/v1/things/",
    "/v1/things/fixed",
    f"/v1/things/{THING}",
    f"/v1/things/{THING}/others",
    f"/v1/things/{THING}/others/",
    "/v1/others/1",
    "/v1/others",
    "/v1/nothing",
    "/v1/",
    "/v1",
    "/v1//things",
    "/v12/things",
    "/",
    "/v1/things%2Ffixed",
)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_each_request_has_the_answer_that_it_has_without_the_index(
    path: str, method: str
) -> None:
    answers = []
    for is_indexed in (True, False):
        transport = httpx2.ASGITransport(_app(is_indexed=is_indexed))
        async with httpx2.AsyncClient(transport=transport, base_url="http://api") as http:
            answer = await http.request(method, path)
        answers.append((answer.status_code, answer.text, answer.headers.get("location")))
    assert answers[0] == answers[1]


async def test_no_path_of_the_api_has_a_parameter_where_the_index_looks(
    settings: ControlPlaneSettings,
) -> None:
    paths = {str(route.path) for route in iter_route_contexts(create_app(settings).routes)}
    indexed = [path for path in paths if path.startswith("/v1/")]
    assert indexed
    assert not [path for path in indexed if "{" in path.split("/")[2]]


async def test_only_routers_with_the_paths_beginning_are_asked() -> None:
    asked: list[str] = []

    class Asked(APIRouter):
        def matches(self, scope: Scope) -> tuple[Match, Scope]:
            asked.append(self.prefix)
            return super().matches(scope)

    every = APIRouter()
    for prefix in ("/v1/things", "/v1/others"):
        router = Asked(prefix=prefix)
        router.get("")(lambda: "one")
        every.include_router(router)
    app = FastAPI()
    app.router.routes.append(RouteIndex("/v1", every.routes))
    app.router.routes.extend(every.routes)
    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://api") as http:
        assert (await http.get("/v1/others")).status_code == HTTPStatus.OK
        assert asked == ["/v1/others"]
        assert (await http.get("/v1/nothing")).status_code == HTTPStatus.NOT_FOUND
    assert asked == ["/v1/others"]
