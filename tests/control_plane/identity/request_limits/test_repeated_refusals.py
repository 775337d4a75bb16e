"""A stranger who is refused and asks again at once gets the same answer, and nothing is done."""

from __future__ import annotations

from http import HTTPStatus

import httpx2
import pytest
from fastapi import FastAPI

from control_plane.identity.api_keys.secrets import PREFIXES
from control_plane.identity.request_limits.repeated_refusals import (
    SECONDS,
    RepeatedRefusalsMiddleware,
)
from control_plane.platform.errors import NotFound, Problem
from control_plane.platform.http.problems import install_problem_handlers

PUBLISHABLE = {"Authorization": f"Bearer {PREFIXES['publishable']}abc"}
OTHER = {"Authorization": f"Bearer {PREFIXES['publishable']}other"}
SECRET = {"Authorization": f"Bearer {PREFIXES['secret']}abc"}


class Full(Problem):
    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "full"
    title = "Full"


def full(*, holds_for_client: bool = True, holds_for_address: bool = False) -> Problem:
    problem = Full("no room", headers={"Retry-After": "5"}, limit=3)
    problem.holds_for_client = holds_for_client
    problem.holds_for_address = holds_for_address
    return problem


class Api:
    """Counts the requests that it looks at, and refuses with ``problem``."""

    def __init__(self) -> None:
        self.now = 100.0
        self.problem: Problem | None = full()
        self.looked_at = 0
        app = FastAPI()
        install_problem_handlers(app)
        app.add_middleware(RepeatedRefusalsMiddleware, clock=lambda: self.now)

        @app.post("/calls")
        @app.post("/others")
        async def route() -> str:
            self.looked_at += 1
            if self.problem is not None:
                raise self.problem
            return "created"

        self._app = app

    async def post(
        self, headers: dict[str, str], path: str = "/calls", *, address: str = "203.0.113.5"
    ) -> httpx2.Response:
        transport = httpx2.ASGITransport(self._app, client=(address, 1))
        async with httpx2.AsyncClient(transport=transport, base_url="http://api") as http:
            return await http.post(path, headers=headers)


@pytest.fixture
def api() -> Api:
    return Api()


async def test_the_same_answer_is_given_for_a_second(api: Api) -> None:
    first = await api.post(PUBLISHABLE)
    api.problem = None

    again = await api.post(PUBLISHABLE)
    assert (again.status_code, again.json()) == (first.status_code, first.json())
    assert again.headers["retry-after"] == "5"
    assert api.looked_at == 1

    api.now += SECONDS
    assert (await api.post(PUBLISHABLE)).status_code == 200


async def test_others_and_other_paths_are_looked_at(api: Api) -> None:
    await api.post(PUBLISHABLE)
    api.problem = None

    assert (await api.post(OTHER)).status_code == 200
    assert (await api.post(PUBLISHABLE, "/others")).status_code == 200
    assert (await api.post(SECRET)).status_code == 200


async def test_a_request_that_may_have_succeeded_before_is_looked_at(api: Api) -> None:
    await api.post(PUBLISHABLE)
    api.problem = None

    assert (await api.post(PUBLISHABLE | {"Idempotency-Key": "k"})).status_code == 200


@pytest.mark.parametrize(
    ("problem", "headers"),
    [
        (NotFound("nothing"), PUBLISHABLE),
        (full(holds_for_client=False), PUBLISHABLE),
        (full(), SECRET),
    ],
)
async def test_other_refusals_are_not_kept(
    api: Api, problem: Problem, headers: dict[str, str]
) -> None:
    api.problem = problem
    await api.post(headers)
    await api.post(headers)
    assert api.looked_at == 2


async def test_what_holds_for_an_address_holds_for_each_of_its_tokens(api: Api) -> None:
    api.problem = full(holds_for_client=False, holds_for_address=True)
    first = await api.post({"Authorization": "Bearer guess-1"})
    api.problem = None

    again = await api.post({"Authorization": "Bearer guess-2"})
    assert (again.status_code, again.json()) == (first.status_code, first.json())
    assert api.looked_at == 1

    guess = {"Authorization": "Bearer guess-3"}
    assert (await api.post(guess, address="203.0.113.6")).status_code == 200
    assert (await api.post(guess, "/others")).status_code == 200
    assert (await api.post({})).status_code == 200
