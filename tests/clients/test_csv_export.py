"""An export comes line by line, and is told apart from one that breaks off."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest

from switchboard_client import ApiError, ServerUnreachable, Switchboard
from tests.clients.stand_in import SERVER, StandIn, awaited, blocking, problem

Client = Callable[[StandIn], Any]
both = pytest.mark.parametrize("client", [blocking, awaited], ids=["blocking", "awaited"])
HEADER = "call_id,started_at"


@both
def test_the_lines_come_with_the_header_first(client: Client) -> None:
    api = StandIn([httpx2.Response(200, text=f"{HEADER}\r\na,b\r\nc,d\r\n")])
    since = datetime(2026, 1, 5, tzinfo=UTC)
    found = client(api).billing.export_csv(from_=since, status="completed")
    assert list(found) == [HEADER, "a,b", "c,d"]
    (request,) = api.requests
    assert request.url.path == "/v1/billing/export.csv"
    assert dict(request.url.params) == {"from": since.isoformat(), "status": "completed"}
    assert request.headers["Authorization"] == "Bearer k"


@both
def test_a_refusal_and_a_lost_server_are_errors(client: Client) -> None:
    with pytest.raises(ApiError) as refused:
        list(client(StandIn([problem(400, "invalid_request")])).billing.export_csv())
    assert refused.value.status == 400
    lost = StandIn([httpx2.ConnectError("refused")])
    with pytest.raises(ServerUnreachable):
        list(client(lost).billing.export_csv())
    assert len(lost.requests) == 1


class Endless(httpx2.SyncByteStream):
    """Breaks off after its second line."""

    def __init__(self) -> None:
        self.sent = 0

    def __iter__(self) -> Any:
        for line in (f"{HEADER}\r\n", "a,b\r\n"):
            self.sent += 1
            yield line.encode()
        raise httpx2.ReadError("broken off")


def test_a_line_is_there_before_the_next_one_and_a_break_is_told() -> None:
    body = Endless()
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, stream=body))
    rows = Switchboard(SERVER, "k", transport=transport).billing.export_csv()
    assert next(rows) == HEADER
    assert body.sent == 1
    assert next(rows) == "a,b"
    with pytest.raises(ServerUnreachable):
        next(rows)
