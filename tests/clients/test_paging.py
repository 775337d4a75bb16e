"""Lists are walked to their end, page after page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from tests.clients.stand_in import StandIn, answer, awaited, blocking

Client = Callable[[StandIn], Any]
pytestmark = pytest.mark.parametrize("client", [blocking, awaited], ids=["blocking", "awaited"])


def identity(number: int) -> str:
    return str(UUID(int=number))


def events(first: int, count: int, total: int, moved: int = 0) -> Any:
    """A page; ``moved`` events before it were removed."""
    entry = {"call_id": identity(0), "level": "info", "source": "lifecycle", "message": "m"}
    at = {"created_at": "2026-01-05T09:30:00Z"}
    found = [entry | at | {"id": identity(first + moved + number)} for number in range(count)]
    return answer(200, {"events": found, "total": total, "offset": first, "limit": 2})


def calls(numbers: list[int], next_cursor: int | None) -> Any:
    call = {
        "room_name": "r",
        "agent_id": identity(9),
        "status": "completed",
        "created_at": "2026-01-05T09:30:00Z",
        "started_at": None,
        "ended_at": None,
        "bill_duration": None,
        "billable_seconds": None,
        "total_cost": None,
        "telecom_cost": None,
        "provider_cost": None,
        "provider_cost_breakdown": None,
        "provider_cost_calculated_at": None,
        "provider_cost_actual": None,
        "provider_cost_actual_breakdown": None,
        "feedback": None,
        "end_reason": None,
        "metadata": {},
        "intelligence_status": "pending",
        "participant_count": 0,
        "primary_participant": None,
        "participants": [],
    }
    return answer(
        200,
        {
            "calls": [call | {"id": identity(number)} for number in numbers],
            "total": 3,
            "limit": 2,
            "offset": 0,
            "next_cursor": None if next_cursor is None else identity(next_cursor),
        },
    )


def queries(api: StandIn) -> list[dict[str, str]]:
    return [dict(request.url.params) for request in api.requests]


def test_a_list_with_offsets_is_walked_until_all_are_seen(client: Client) -> None:
    api = StandIn([events(0, 2, 3), events(2, 1, 3)])
    found = list(client(api).calls.every_event(identity(1)))
    assert [each.id.int for each in found] == [0, 1, 2]
    assert queries(api) == [
        {"limit": "200", "offset": "0"},
        {"limit": "200", "offset": "2"},
    ]


def test_a_list_that_shrinks_while_it_is_walked_ends(client: Client) -> None:
    api = StandIn([events(0, 2, 9), events(2, 0, 9)])
    assert len(list(client(api).calls.every_event(identity(1)))) == 2
    assert len(api.requests) == 2


def test_a_list_whose_items_are_removed_while_it_is_walked_is_walked_whole(client: Client) -> None:
    pages = [
        events(0, 2, 5),
        events(2, 1, 3, moved=2),
        events(0, 2, 3, moved=2),
        events(2, 0, 1),
        events(0, 1, 1, moved=4),
    ]
    api = StandIn(pages)
    found = list(client(api).calls.every_event(identity(1)))
    assert [each.id.int for each in found] == [0, 1, 2, 3, 4]
    assert [query["offset"] for query in queries(api)] == ["0", "2", "0", "2", "0"]


def test_what_is_removed_further_down_makes_nothing_come_twice(client: Client) -> None:
    api = StandIn([events(0, 2, 5), events(2, 2, 4), events(1, 2, 4), events(3, 1, 4)])
    found = list(client(api).calls.every_event(identity(1)))
    assert [each.id.int for each in found] == [0, 1, 2, 3]


def test_calls_are_walked_by_cursor_under_the_same_filter(client: Client) -> None:
    api = StandIn([calls([5, 4], 4), calls([3], None)])
    found = list(client(api).calls.every(status="completed", page_size=2))
    assert [each.id.int for each in found] == [5, 4, 3]
    assert queries(api) == [
        {"limit": "2", "offset": "0", "status": "completed"},
        {"limit": "2", "offset": "0", "status": "completed", "cursor": identity(4)},
    ]


def test_an_agents_calls_are_walked_by_the_last_id_of_each_page(client: Client) -> None:
    def page(*numbers: int) -> Any:
        call = {"agent_id": identity(9), "status": "completed", "started_at": None}
        call |= {"ended_at": None, "bill_duration": None, "total_cost": None}
        rows = [call | {"id": identity(number)} for number in numbers]
        body = {"calls": rows, "total": 3, "offset": 0, "limit": 2, "agent_id": identity(9)}
        return answer(200, body)

    api = StandIn([page(5, 4), page(3)])
    found = list(client(api).agents.every_call(identity(9)))
    assert [each.id.int for each in found] == [5, 4, 3]
    assert queries(api) == [
        {"limit": "200", "offset": "0"},
        {"limit": "200", "offset": "0", "cursor": identity(4)},
    ]


def test_an_empty_list_is_one_request(client: Client) -> None:
    api = StandIn([calls([], None)])
    assert list(client(api).calls.every()) == []
    assert len(api.requests) == 1


def test_pages_are_fetched_as_they_are_asked_for(client: Client) -> None:
    api = StandIn([calls([5, 4], 4), calls([3], None)])
    walked = client(api).calls.every()
    if client is blocking:
        next(walked)
        assert len(api.requests) == 1
