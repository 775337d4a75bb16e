"""Which outcomes are tried again, how often and when."""

from __future__ import annotations

from datetime import timedelta

import pytest

from contracts.dial_outcome import DialOutcome
from control_plane.calling.dialing.retry import BATCH, ONE_CALL, RetryRule, RetryRules

FINAL = (DialOutcome.REJECTED, DialOutcome.UNREACHABLE, DialOutcome.CANCELED)


@pytest.mark.parametrize("outcome", FINAL)
def test_a_refusal_is_final(outcome: DialOutcome) -> None:
    often = RetryRule(attempts=10)
    rules = RetryRules(busy=often, no_answer=often, failed=often)
    assert rules.wait_after(outcome, 1) is None


@pytest.mark.parametrize("outcome", [each for each in DialOutcome if each not in FINAL])
def test_each_other_outcome_has_a_rule_of_its_own(outcome: DialOutcome) -> None:
    rules = RetryRules(
        **{outcome.value: RetryRule(attempts=3, wait_seconds=60)}  # type: ignore[arg-type]
    )
    waits = [rules.wait_after(outcome, attempts) for attempts in (1, 2, 3, 4)]
    assert waits == [timedelta(seconds=60), timedelta(seconds=60), None, None]


def test_a_single_call_says_at_once_that_nobody_was_reached() -> None:
    assert ONE_CALL.wait_after(DialOutcome.BUSY, 1) is None
    assert ONE_CALL.wait_after(DialOutcome.NO_ANSWER, 1) is None
    assert ONE_CALL.wait_after(DialOutcome.FAILED, 1) is not None


def test_a_batch_is_patient() -> None:
    assert BATCH.wait_after(DialOutcome.BUSY, 2) is not None
    assert BATCH.wait_after(DialOutcome.NO_ANSWER, 1) is not None
