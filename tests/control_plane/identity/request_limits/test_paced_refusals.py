"""A client that is refused again and again is refused at a steady pace."""

from __future__ import annotations

from http import HTTPStatus

import httpx2
import pytest
from fastapi import FastAPI, Response
from structlog.testing import capture_logs

from control_plane.identity.api_keys.secrets import PREFIXES
from control_plane.identity.request_limits.fair_turns import FairTurnsMiddleware
from control_plane.identity.request_limits.paced_refusals import (
    AT_ONCE,
    LONGEST_SECONDS,
    PacedRefusalsMiddleware,
    RefusalPace,
)
from control_plane.platform.http.request_context import RequestContextMiddleware

PER_SECOND = 10
CLIENT, OTHER = "tenant 1", "address 203.0.113.6"


@pytest.fixture
def pace() -> RefusalPace:
    return RefusalPace(PER_SECOND)


def refused(pace: RefusalPace, times: int, now: float, client: str = CLIENT) -> list[float]:
    return [pace.held_seconds(client, now) for _ in range(times)]


def test_the_first_refusals_are_not_held(pace: RefusalPace) -> None:
    assert refused(pace, AT_ONCE + 1, 100.0) == [0.0] * (AT_ONCE + 1)


def test_the_others_are_spaced(pace: RefusalPace) -> None:
    refused(pace, AT_ONCE + 1, 100.0)
    assert refused(pace, 3, 100.0) == pytest.approx([0.1, 0.2, 0.3])


def test_none_is_held_for_longer_than_clients_wait(pace: RefusalPace) -> None:
    refused(pace, 1_000, 100.0)
    assert refused(pace, 2, 100.0) == pytest.approx([LONGEST_SECONDS] * 2)
    # Nothing more is owed than that.
    assert refused(pace, 1, 100.0 + LONGEST_SECONDS) == pytest.approx([0.1], abs=0.1)


def test_a_client_that_is_refused_at_that_pace_never_waits(pace: RefusalPace) -> None:
    for second in range(60):
        assert refused(pace, PER_SECOND, 100.0 + second) == [0.0] * PER_SECOND


def test_each_client_has_a_pace_of_its_own(pace: RefusalPace) -> None:
    refused(pace, 1_000, 100.0)
    assert refused(pace, 1, 100.0, OTHER) == [0.0]


class Api:
    """Answers with the status that the path names."""

    def __init__(self, per_second: float = PER_SECOND) -> None:
        self.waits: list[float] = []
        app = FastAPI()
        app.add_middleware(
            PacedRefusalsMiddleware,
            per_second=per_second,
            clock=lambda: 100.0,
            sleep=self._sleep,
        )
        app.add_middleware(FairTurnsMiddleware)
        app.add_middleware(RequestContextMiddleware)

        @app.get("/{status}")
        async def route(status: int) -> Response:
            return Response(status_code=status)

        self._app = app

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    async def ask(self, status: int, times: int = 1, address: str = "203.0.113.5") -> None:
        transport = httpx2.ASGITransport(self._app, client=(address, 1))
        headers = {"Authorization": f"Bearer {PREFIXES['secret']}guess"}
        async with httpx2.AsyncClient(
            transport=transport, base_url="http://api", headers=headers
        ) as http:
            for _ in range(times):
                assert (await http.get(f"/{status}")).status_code == status


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422, 429])
async def test_every_refusal_counts(status: int) -> None:
    api = Api()
    await api.ask(status, AT_ONCE + 3)
    assert api.waits == pytest.approx([0.1, 0.2])


@pytest.mark.parametrize("status", [200, 202, 204, 303, 500, 503])
async def test_other_answers_are_not_held_and_do_not_count(status: int) -> None:
    api = Api()
    await api.ask(status, AT_ONCE * 2)
    await api.ask(HTTPStatus.NOT_FOUND, AT_ONCE + 1)
    assert api.waits == []
    await api.ask(HTTPStatus.NOT_FOUND)
    assert len(api.waits) == 1
    await api.ask(status)
    assert len(api.waits) == 1


async def test_clients_are_those_who_share_turns() -> None:
    api = Api()
    await api.ask(HTTPStatus.NOT_FOUND, AT_ONCE + 10)
    api.waits.clear()
    await api.ask(HTTPStatus.NOT_FOUND, address="203.0.113.6")
    assert api.waits == []


async def test_the_log_says_how_long_an_answer_was_held() -> None:
    api = Api()
    with capture_logs() as logs:
        await api.ask(HTTPStatus.NOT_FOUND, AT_ONCE + 2)
    held = [line.get("held_ms") for line in logs if line["event"] == "request"]
    assert held == [*[None] * (AT_ONCE + 1), 100]


async def test_0_sets_no_pace() -> None:
    api = Api(per_second=0)
    await api.ask(HTTPStatus.NOT_FOUND, AT_ONCE * 2)
    assert api.waits == []
