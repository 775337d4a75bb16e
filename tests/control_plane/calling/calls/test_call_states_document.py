"""docs/call-states.md says what the code does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.call_status import TERMINAL_STATUSES, CallStatus, ParticipantStatus
from contracts.dial_outcome import STATUS_AFTER_DIAL, DialOutcome, carrier_end_reason
from contracts.end_reasons import STATUS_AFTER, EndReason
from control_plane.calling.calls.legs.transitions import LegCause, leg_transition
from control_plane.calling.calls.transitions import (
    Answered,
    Cause,
    Claimed,
    Dialing,
    Ended,
    Requeued,
    Ringing,
    Started,
    Unreached,
    transition,
)
from runtime.call.end_cause import OUTCOMES
from runtime.call.end_cause import Cause as WorkerCause

ROOT = Path(__file__).parents[4]
DOCUMENT = (ROOT / "docs" / "call-states.md").read_text()

CAUSES: dict[str, Cause] = {
    "dialing": Dialing(),
    "ringing": Ringing(),
    "answered": Answered(),
    "requeued": Requeued(),
    "claimed": Claimed(),
    "started": Started(),
    "ended": Ended(EndReason.NORMAL_HANGUP),
    "unreached": Unreached("carrier", DialOutcome.BUSY),
}


def table(heading: str) -> tuple[list[str], list[list[str]]]:
    """The first table under ``heading``: its columns and its rows, without backquotes."""
    section = DOCUMENT.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    columns, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return columns, rows


def plain(cell: str) -> str:
    return cell.replace("`", "")


def test_the_table_of_calls() -> None:
    columns, rows = table("Status")
    assert columns[1:] == list(CAUSES)
    assert [plain(row[0]) for row in rows] == list(CallStatus)
    for status, row in zip(CallStatus, rows, strict=True):
        for cause, cell in zip(CAUSES.values(), row[1:], strict=True):
            moved = transition(status, cause).status
            final = moved in TERMINAL_STATUSES
            shown = "–" if moved is status else "final" if final else moved.value
            assert plain(cell) == shown, (status, cause)


def test_the_table_of_participants() -> None:
    columns, rows = table("Participants")
    assert columns[1:] == list(LegCause)
    assert [plain(row[0]) for row in rows] == list(ParticipantStatus)
    for status, row in zip(ParticipantStatus, rows, strict=True):
        for cause, cell in zip(LegCause, row[1:], strict=True):
            moved = leg_transition(status, cause)
            assert plain(cell) == ("–" if moved is status else moved.value), (status, cause)


def test_every_end_reason_and_the_status_that_it_leaves() -> None:
    _, rows = table("End reasons")
    assert {plain(reason): plain(status) for reason, status, *_ in rows} == {
        reason.value: status.value for reason, status in STATUS_AFTER.items()
    } | {
        carrier_end_reason("<carrier>", outcome): status.value
        for outcome, status in STATUS_AFTER_DIAL.items()
    }
    assert all(meaning for *_, meaning in rows)


def given_by_workers() -> Iterator[tuple[str, WorkerCause]]:
    for reason, _, given_by, _ in table("End reasons")[1]:
        if given_by.startswith("worker: "):
            for cause in re.findall(r"`([A-Z_]+)`", given_by):
                yield plain(reason), WorkerCause[cause]


def given_by_nothing() -> Iterator[EndReason]:
    for reason, _, given_by, _ in table("End reasons")[1]:
        if given_by == "–":
            yield EndReason(plain(reason))


IN_WORDS = ROOT / "control_plane/calling/intelligence/analysers/local/end_of_call.py"
"""Has a sentence for every reason, and gives none."""


def uses(name: str, *packages: str) -> int:
    paths = (path for each in packages for path in (ROOT / each).rglob("*.py"))
    sources = (path.read_text() for path in paths if path != IN_WORDS)
    return sum(len(re.findall(rf"\b{re.escape(name)}\b", source)) for source in sources)


def test_every_cause_of_a_worker_gives_the_reason_that_is_written() -> None:
    written = {cause: reason for reason, cause in given_by_workers()}
    assert written == {cause: reason.value for cause, (reason, _) in OUTCOMES.items()}
    assert set(OUTCOMES) == set(WorkerCause)


@pytest.mark.parametrize("cause", [cause for _, cause in given_by_workers()])
def test_a_worker_raises_every_cause(cause: WorkerCause) -> None:
    table_alone = 1
    assert uses(f"Cause.{cause.name}", "runtime") > table_alone


@pytest.mark.parametrize("reason", list(given_by_nothing()))
def test_a_reason_that_nothing_gives_is_in_no_code(reason: EndReason) -> None:
    assert uses(f"EndReason.{reason.name}", "runtime", "control_plane") == 0
