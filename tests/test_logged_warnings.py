"""Which lines of a system's logs the report of a failed test shows."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from tests.logged_warnings import MOST_LINES, logged_warnings, unlogged_lines, warnings_in

BEGAN = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


def line(second: int, level: str, event: str, **fields: object) -> str:
    at = BEGAN.replace(second=second).isoformat().replace("+00:00", "Z")
    return json.dumps({"timestamp": at, "level": level, "event": event, **fields})


def written(data_dir: Path, **lines_of: list[str]) -> str:
    (data_dir / "logs").mkdir()
    for name, lines in lines_of.items():
        (data_dir / "logs" / f"{name}.log").write_text("\n".join(lines))
    return logged_warnings(data_dir, BEGAN.replace(second=10).timestamp())


def test_warnings_of_all_processes_come_in_the_order_in_which_they_happened(tmp_path: Path) -> None:
    shown = written(
        tmp_path,
        jobs=[line(20, "warning", "inbound_call_refused", kind="busy"), line(30, "error", "late")],
        bridge=[line(25, "warning", "worker_lost")],
    )
    assert shown.splitlines() == [
        '12:00:20.000000 jobs: inbound_call_refused {"kind": "busy"}',
        "12:00:25.000000 bridge: worker_lost {}",
        "12:00:30.000000 jobs: late {}",
    ]


def test_what_was_before_and_what_is_no_warning_is_left_out(tmp_path: Path) -> None:
    others = [line(5, "error", "before"), line(20, "info", "fine"), "no JSON", '"text"', "{}"]
    assert written(tmp_path, api=others) == ""


def test_of_many_the_newest_are_shown(tmp_path: Path) -> None:
    many = [line(20, "warning", f"number {n:03}") for n in range(MOST_LINES + 5)]
    shown = written(tmp_path, api=many).splitlines()
    assert len(shown) == MOST_LINES
    assert f"number {MOST_LINES + 4:03}" in shown[-1]


def test_what_a_process_wrote_before_its_log_was_begun_again_counts(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "workers.log.1").write_text(line(1, "error", "old", logger="runtime"))
    (logs / "workers.log").write_text(line(2, "warning", "new", call_id="c"))
    found = {each.event: each for each in warnings_in(tmp_path)}
    assert (found["old"].process, found["old"].logger) == ("workers", "runtime")
    assert found["new"].rest == {"call_id": "c"}


def test_what_our_processes_wrote_past_our_logging_is_told(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for process in ("workers", "postgres"):
        text = "\n".join(
            (line(1, "info", "fine"), "Traceback (most recent call last):", "", "{}", '{"ev')
        )
        (logs / f"{process}.log").write_text(text)
    expected = ["workers: Traceback (most recent call last):", "workers: {}"]
    assert list(unlogged_lines(tmp_path)) == expected


def test_a_system_without_logs_has_warned_of_nothing(tmp_path: Path) -> None:
    assert logged_warnings(tmp_path, 0.0) == ""
