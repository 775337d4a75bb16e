from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bench.vendors.random_faults import Fault
from tests.logged_warnings import LoggedWarning
from tests.soak.log_verdict import EXPECTED, Expected, unexpected
from tests.soak.verdict import NOTICED_SECONDS

AT = 1_000.0


def logged(expected: Expected, seconds: float = 1.0) -> LoggedWarning:
    at = datetime.fromtimestamp(AT + seconds, UTC)
    return LoggedWarning("workers", at, expected.logger, f"{expected.event} now", {"call_id": "c"})


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda expected: expected.event)
def test_what_the_run_itself_brings_about_is_expected(expected: Expected) -> None:
    fault = Fault(expected.provider or "openai", "429", AT)
    assert list(unexpected([logged(expected)], [fault])) == []


@pytest.mark.parametrize(
    "expected", [each for each in EXPECTED if each.provider], ids=lambda expected: expected.event
)
def test_what_a_vendor_brings_about_is_expected_only_soon_after_its_fault(
    expected: Expected,
) -> None:
    assert expected.provider is not None
    fault = Fault(expected.provider, "429", AT)
    late = logged(expected, NOTICED_SECONDS + 1)
    early = logged(expected, -1.0)
    assert len(list(unexpected([late, early], [fault]))) == 1
    assert len(list(unexpected([logged(expected)], [Fault("another", "429", AT)]))) == 1


def test_anything_else_is_told_once_for_each_kind() -> None:
    at = datetime.fromtimestamp(AT, UTC)
    late = LoggedWarning("workers", at, "runtime.call.closing", "call.close_failed", {})
    other = LoggedWarning("jobs", at, "asyncio", "Task exception was never retrieved", {})
    told = list(unexpected([late, late, other], [Fault("openai", "429", AT)]))
    assert told == [
        "log of workers: 2 x runtime.call.closing 'call.close_failed': 00:16:40 {}; 00:16:40 {}",
        "log of jobs: 1 x asyncio 'Task exception was never retrieved': 00:16:40 {}",
    ]
