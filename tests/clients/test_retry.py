"""When a request is sent again."""

from __future__ import annotations

import pytest

from switchboard_client.request import Reply, Request
from switchboard_client.retry import Attempts, Failure, RetryPolicy

POLICY = RetryPolicy(most_attempts=4, first_wait_seconds=1.0, longest_wait_seconds=3.0)
GET = Request("GET", "/v1/calls")
POST = Request("POST", "/v1/calls")
ONCE = POST.once()


def after(request: Request, status: int, asked_seconds: float | None = None) -> float | None:
    attempts = Attempts(request, POLICY)
    return attempts.after_reply(Reply(status, {}, b""), asked_seconds, 1.0)


@pytest.mark.parametrize("status", [200, 201, 302, 400, 401, 404, 409, 422, 500])
def test_what_would_be_the_same_again_is_final(status: int) -> None:
    assert after(ONCE, status) is None


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_what_may_pass_is_tried_again(status: int) -> None:
    assert after(GET, status) == 1.0
    assert after(ONCE, status) == 1.0


@pytest.mark.parametrize("status", [502, 503, 504])
def test_what_may_have_been_carried_out_is_repeated_only_under_a_key(status: int) -> None:
    assert after(POST, status) is None


def test_a_rate_limit_refuses_before_anything_is_done() -> None:
    assert after(POST, 429) == 1.0


def test_the_wait_that_the_api_asks_for_is_kept() -> None:
    assert after(GET, 429, asked_seconds=2.5) == 2.5


def test_who_is_asked_to_wait_too_long_is_told_at_once() -> None:
    assert after(GET, 503, asked_seconds=60) is None


def test_waits_double_up_to_the_longest_and_end_with_the_last_attempt() -> None:
    attempts = Attempts(GET, POLICY)
    waits = [attempts.after_failure(Failure.NOT_ANSWERED, 1.0) for _ in range(4)]
    assert waits == [1.0, 2.0, 3.0, None]


def test_jitter_takes_up_to_half_of_a_wait() -> None:
    assert Attempts(GET, POLICY).after_failure(Failure.NOT_SENT, 0.0) == 0.5


@pytest.mark.parametrize(
    ("request_", "failure", "is_repeated"),
    [
        (POST, Failure.NOT_SENT, True),
        (POST, Failure.NOT_ANSWERED, False),
        (ONCE, Failure.NOT_ANSWERED, True),
        (GET, Failure.NOT_ANSWERED, True),
        (GET, Failure.IMPOSSIBLE, False),
    ],
)
def test_a_lost_answer_is_fetched_again_where_that_does_no_harm(
    request_: Request, failure: Failure, is_repeated: bool
) -> None:
    assert (Attempts(request_, POLICY).after_failure(failure, 1.0) is not None) == is_repeated


def test_a_conflict_is_waited_for_only_if_it_passes() -> None:
    assert after(ONCE, 409, 2.0) == 2.0
    assert after(ONCE, 409) is None
