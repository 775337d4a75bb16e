"""The limits of the ledger's benchmark, with measured times that are made up."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bench import ledger
from bench.ledger import BALANCE, COMMAND, EXPORT, main, missed, p99

AT_THE_LIMITS: Mapping[str, list[float]] = {
    BALANCE: [0.015] * 1_000,
    EXPORT: [2.0] * 20,
    COMMAND: [5.0] * 3,
}


def test_the_p99_of_a_few_is_the_slowest_and_of_many_leaves_one_in_a_hundred_out() -> None:
    assert p99([1.0, 3.0, 2.0]) == 3
    assert p99([float(n) for n in range(1, 101)]) == 99
    assert p99([float(n) for n in range(1, 1_001)]) == 990


def test_times_at_the_limits_miss_none() -> None:
    assert missed(AT_THE_LIMITS) == []
    assert missed({**AT_THE_LIMITS, "audit: one day": [99.0]}) == []


@pytest.mark.parametrize(
    ("what", "seconds", "sentence"),
    [
        (BALANCE, [0.001] * 989 + [0.0151] * 11, "15.1 ms is above 15 ms"),
        (EXPORT, [1.0] * 19 + [2.5], "2,500.0 ms is above 2,000 ms"),
        (COMMAND, [1.0, 1.0, 6.0], "6,000.0 ms is above 5,000 ms"),
    ],
)
def test_a_limit_that_is_missed_is_named_and_the_exit_code_is_1(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    what: str,
    seconds: list[float],
    sentence: str,
) -> None:
    monkeypatch.setattr("sys.argv", ["bench.ledger"])
    for measured, exit_code in ((AT_THE_LIMITS, 0), ({**AT_THE_LIMITS, what: seconds}, 1)):
        monkeypatch.setattr(ledger, "measure", lambda *_: measured)  # noqa: B023
        assert main() == exit_code
        assert (f"{what}: the p99 of {sentence}." in capsys.readouterr().out) == bool(exit_code)


def test_the_help_tells_the_limits(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["bench.ledger", "--help"])
    with pytest.raises(SystemExit):
        main()
    said = capsys.readouterr().out
    for limit in ("15 ms", "2 s", "5 s", "exit code is 1"):
        assert limit in " ".join(said.split())
