"""A demo that went wrong must not look right: each defect fails the check that names it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from switchboard.caller.reports import CallerTurn, CallSummary
from switchboard.demo.checks import checked
from switchboard.demo.evidence import Evidence

LINES = ("Hello there.", "My name is Emma.", "On Tuesday.", "Yes.", "That is right.")


def turn(said: str, **changes: Any) -> CallerTurn:
    made = CallerTurn(
        said=said, heard="Certainly.", outcome="answered", latency_ms=800.0, is_goodbye=False
    )
    return made.model_copy(update=changes)


def segment(speaker: str, text: str) -> dict[str, Any]:
    return {"speaker": speaker, "text": text}


SUMMARY = CallSummary(
    call_id="call-1",
    ended_by="agent",
    end_reason="end_call_tool",
    connected_seconds=61.4,
    opener_heard="Good morning, how can I help?",
    first_sample_ms=300.0,
    turns=(*map(turn, LINES), turn("Goodbye.", heard="", outcome="unanswered", is_goodbye=True)),
    barge_in_ms=(310.0,),
)
CHARGE = {
    "call_id": "call-1",
    "amount_usd": -0.0375,
    "metadata": {"rate_micros_per_minute": 25_000},
}
GOOD = Evidence(
    summary=SUMMARY,
    call={
        "id": "call-1",
        "status": "completed",
        "end_reason": "end_call_tool",
        "bill_duration": 61.2,
        "billable_seconds": 90,
        "total_cost": 0.0375,
    },
    transcript={
        "transcript": [{"speaker": "agent", "text": "It is fifty", "interrupted": True}],
        "segments": [
            segment("agent", "Good morning! How can I help?"),
            *(segment("user", line) for line in (*LINES, "Goodbye.")),
        ],
    },
    events=[{"source": "lifecycle", "level": "info", "message": "Call started"}],
    balance_before={"balance_usd": 9.99},
    balance_after={"balance_usd": 9.9525},
    transactions=[CHARGE, {"call_id": None, "amount_usd": 9.99, "metadata": {}}],
)


def failures(evidence: Evidence) -> set[str]:
    return {check.claim for check in checked(evidence) if not check.passed}


def test_a_good_call_passes_every_check() -> None:
    assert failures(GOOD) == set()


def with_turns(*turns: CallerTurn) -> Evidence:
    return replace(GOOD, summary=SUMMARY.model_copy(update={"turns": turns}))


def with_summary(**changes: Any) -> Evidence:
    return replace(GOOD, summary=SUMMARY.model_copy(update=changes))


def with_call(**changes: Any) -> Evidence:
    return replace(GOOD, call={**GOOD.call, **changes})


def without_speaker(speaker: str) -> Evidence:
    kept = [each for each in GOOD.transcript["segments"] if each["speaker"] != speaker]
    return replace(GOOD, transcript={**GOOD.transcript, "segments": kept})


def uninterrupted() -> Evidence:
    return replace(GOOD, transcript={**GOOD.transcript, "transcript": []})


@pytest.mark.parametrize(
    ("broken", "claim"),
    [
        (lambda: with_summary(opener_heard=""), "the agent opened the call"),
        (
            lambda: with_turns(*map(turn, LINES[:4]), turn(LINES[4], heard="")),
            "at least 5 turns, each answered aloud",
        ),
        (lambda: with_turns(*map(turn, LINES[:4])), "at least 5 turns, each answered aloud"),
        (lambda: with_summary(barge_in_ms=()), "the caller cut in once"),
        (uninterrupted, "the caller cut in once"),
        (lambda: with_summary(barge_in_ms=(None,)), "agent silent after barge-in ≤ 400 ms"),
        (
            lambda: with_call(status="failed", end_reason="worker_error"),
            "the call ended in good order",
        ),
        (lambda: without_speaker("user"), "the transcript has the caller's words"),
        (lambda: without_speaker("agent"), "the transcript has the agent's words"),
        (lambda: replace(GOOD, events=[]), "the event log tells the call's story"),
        (lambda: with_summary(connected_seconds=75.0), "the meter agrees with the caller's clock"),
        (lambda: with_call(billable_seconds=60), "the bill is exact"),
        (lambda: with_call(total_cost=0.037499), "the bill is exact"),
        (lambda: replace(GOOD, transactions=GOOD.transactions[1:]), "the bill is exact"),
        (
            lambda: replace(GOOD, transactions=[CHARGE, *GOOD.transactions]),
            "the bill is exact",
        ),
        (
            lambda: replace(GOOD, balance_after={"balance_usd": 9.952499}),
            "the ledger's entries sum to the balance",
        ),
        (
            lambda: replace(GOOD, balance_after={"balance_usd": 9.94}),
            "nothing stays reserved",
        ),
        (lambda: with_summary(first_sample_ms=None), "first agent sample ≤ 1000 ms"),
        (lambda: with_summary(barge_in_ms=(401.0,)), "agent silent after barge-in ≤ 400 ms"),
        (
            lambda: with_turns(*map(turn, LINES[:4]), turn(LINES[4], latency_ms=1501.0)),
            "voice to voice, p95 ≤ 1500 ms",
        ),
    ],
)
def test_a_defect_fails_the_check_that_names_it(broken: Callable[[], Evidence], claim: str) -> None:
    assert claim in failures(broken())


def test_only_targets_of_latency_are_excusable() -> None:
    late = with_summary(first_sample_ms=5000.0, barge_in_ms=(900.0,))
    missed = [check for check in checked(late) if not check.passed]
    assert len(missed) == 2
    assert all(check.is_latency for check in missed)
    assert not [
        check
        for check in checked(with_call(total_cost=1.0))
        if check.is_latency and not check.passed
    ]
