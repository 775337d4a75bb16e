"""A failure is never told as a hang-up."""

from __future__ import annotations

import pytest

from contracts.call_status import CallStatus
from contracts.end_reasons import STATUS_AFTER, EndReason
from switchboard.caller.words_of_end import words_of_end, words_of_failure


@pytest.mark.parametrize("reason", list(EndReason))
def test_only_failures_are_told_as_failures(reason: EndReason) -> None:
    is_failure = STATUS_AFTER[reason] is CallStatus.FAILED
    assert (words_of_failure("agent", reason) is not None) == is_failure
    if is_failure:
        assert words_of_end("agent", reason) == "The call broke off"


@pytest.mark.parametrize("reason", ["end_call_tool", "natural_end", "agent_ended_call"])
def test_an_agent_that_ends_the_call_hangs_up(reason: str) -> None:
    assert words_of_end("agent", reason) == "The agent hung up"
    assert words_of_failure("agent", reason) is None


def test_a_stopped_server_and_a_lost_connection_are_named() -> None:
    assert (
        words_of_failure("agent", "server_shutdown") == "Switchboard was stopped during the call."
    )
    assert "did not come back" in str(words_of_failure("connection_lost", None))


def test_whoever_hangs_up_sees_no_failure() -> None:
    assert words_of_end("caller", None) == "You hung up"
    assert words_of_failure("caller", None) is None


def test_a_reason_of_a_newer_server_is_no_failure() -> None:
    assert words_of_end("agent", "aliens") == "The call ended"
    assert words_of_failure("agent", "aliens") is None
