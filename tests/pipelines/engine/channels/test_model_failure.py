"""What a failure is called in the events of a call, which tenants read."""

from __future__ import annotations

import pytest
from livekit.agents import APIConnectionError, APIError, APIStatusError, APITimeoutError

from pipelines.engine.channels.model_failure import ModelFailed, failure_of

SECRET = "sk-secret: I have a headache"


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (APIStatusError(SECRET, status_code=429, body=SECRET), "answered with status 429"),
        (APIStatusError(SECRET, body=SECRET), "refused the request"),
        (APIStatusError(SECRET, status_code=1006, body=SECRET), "broke the connection off"),
        (APITimeoutError(SECRET), "did not answer in time"),
        (ExceptionGroup(SECRET, [APITimeoutError(SECRET)]), "did not answer in time"),
        (APIConnectionError(SECRET), "could not be reached, or the connection broke off"),
        (APIError(f"no audio frames were pushed for {SECRET}"), "made no sound"),
        (APIError(SECRET), "answered with an error"),
        (
            caused(APIConnectionError(SECRET), ConnectionResetError(SECRET)),
            "could not be reached, or the connection broke off (ConnectionResetError)",
        ),
        (ValueError(SECRET), "failed with ValueError"),
        (ModelFailed("its answer was empty"), "its answer was empty"),
    ],
)
def test_a_failure_is_told_without_what_the_vendor_wrote(error: Exception, why: str) -> None:
    assert str(failure_of(error)) == why


@pytest.mark.parametrize(("status", "concerns_others"), [(400, False), (401, True), (500, True)])
def test_a_rejected_request_does_not_concern_other_calls(
    status: int, concerns_others: bool
) -> None:
    assert failure_of(APIStatusError("", status_code=status)).concerns_others is concerns_others


def test_causes_that_go_round_in_a_circle_come_to_an_end() -> None:
    one, other = APIConnectionError(), ValueError()
    one.__cause__, other.__cause__ = other, one
    assert str(failure_of(one)).endswith("(ValueError)")
