"""A demo that went wrong must not look right: each defect fails the check that names it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from switchboard.caller.reports import CallerTurn, CallSummary
from switchboard.demo.checks import checked
from switchboard.demo.evidence import Evidence
from switchboard_client.models import (
    Balance,
    CallBill,
    CallDetail,
    CallEventView,
    Transaction,
    TranscriptView,
)

LINES = ("Hello there.", "My name is Emma.", "On Tuesday.", "Yes.", "That is right.")


def turn(said: str, **changes: Any) -> CallerTurn:
    made = CallerTurn(
        said=said, heard="Certainly.", outcome="answered", latency_ms=800.0, is_goodbye=False
    )
    return made.model_copy(update=changes)


SUMMARY = CallSummary(
    call_id="b1a6c0de-52a9-4d59-8f0e-6a7f8c9d0e1f",
    ended_by="agent",
    end_reason="end_call_tool",
    connected_seconds=61.4,
    opener_heard="Good morning, how can I help?",
    first_sample_ms=300.0,
    turns=(*map(turn, LINES), turn("Goodbye.", heard="", outcome="unanswered", is_goodbye=True)),
    barge_in_ms=(310.0,),
)
CALL_ID = "b1a6c0de-52a9-4d59-8f0e-6a7f8c9d0e1f"
AT = "2026-01-05T09:30:00Z"


def transaction(call_id: str | None, amount_usd: float, metadata: dict[str, Any]) -> Transaction:
    return Transaction.model_validate(
        {
            "id": str(uuid4()),
            "call_id": call_id,
            "amount_seconds": 0,
            "amount_usd": amount_usd,
            "transaction_type": "grant" if call_id is None else "charge",
            "description": "",
            "metadata": metadata,
            "created_at": AT,
        }
    )


def balance(usd: float) -> Balance:
    return Balance.model_validate(
        {
            "tenant_id": str(uuid4()),
            "balance_seconds": 0,
            "balance_usd": usd,
            "balance_cents": round(usd * 100),
            "balance_credits": usd,
            "purchased_credits": 0.0,
            "free_credits": usd,
            "plan_credits": 0.0,
            "active_bucket": "included",
            "held_usd": 0.0,
            "available_usd": usd,
            "estimated_minutes_remaining": 0.0,
            "topup_minutes_remaining": 0.0,
            "is_active": True,
            "tone": "ok",
            "tenant_state": "has_calls",
            "recent_daily_spend_usd": None,
            "runway_days_estimate": None,
        }
    )


def segments(*said: tuple[str, str]) -> list[dict[str, Any]]:
    return [
        {
            "speaker": speaker,
            "text": text,
            "sequence": sequence,
            "started_at_ms": 0,
            "ended_at_ms": 0,
            "is_final": True,
            "source": "runtime",
        }
        for sequence, (speaker, text) in enumerate(said)
    ]


BILL = CallBill.model_validate(
    {
        "call_id": CALL_ID,
        "billable_seconds": 90,
        "total_cost": 0.0375,
        "paid_by": "tenant",
        "telecom_cost": 0.03,
        "phone_cost": 0.0,
        "charge": {
            "transaction_id": str(uuid4()),
            "seconds": 90,
            "amount": 0.0375,
            "from_plan_credit": 0.0,
            "from_free_credit": 0.0375,
            "from_purchased_credit": 0.0,
            "created_at": AT,
        },
        "hold": {"state": "settled", "amount": 0.0375, "opened_at": AT, "closed_at": AT},
        "agents": [
            {
                "agent_id": str(uuid4()),
                "agent_version": 1,
                "agent_name": "Mia",
                "from_seconds": 0.0,
                "seconds": 90.0,
                "price_per_min": 0.025,
                "cost": 0.0375,
                "prices": [
                    {
                        "price_id": str(uuid4()),
                        "component": component,
                        "provider": "local",
                        "model": component,
                        "price_per_min": rate,
                        "valid_from": AT,
                        "cost": cost,
                    }
                    for component, rate, cost in (("llm", 0.005, 0.0075), ("platform", 0.02, 0.03))
                ],
            }
        ],
    }
)
RAW = {"id": str(uuid4()), "type": "agent_response", "response": "It is fifty", "metrics": None}
CHARGE = transaction(CALL_ID, -0.0375, {"rate_micros_per_minute": 25_000})
GOOD = Evidence(
    summary=SUMMARY,
    call=CallDetail.model_validate(
        {
            "id": CALL_ID,
            "room_name": f"call-{CALL_ID}",
            "agent_id": str(uuid4()),
            "status": "completed",
            "created_at": AT,
            "started_at": AT,
            "ended_at": AT,
            "bill_duration": 61.2,
            "billable_seconds": 90,
            "total_cost": 0.0375,
            "telecom_cost": 0.03,
            "provider_cost": None,
            "provider_cost_breakdown": None,
            "provider_cost_calculated_at": None,
            "provider_cost_actual": None,
            "provider_cost_actual_breakdown": None,
            "feedback": None,
            "end_reason": "end_call_tool",
            "metadata": {},
            "intelligence_status": "pending",
            "participant_count": 0,
            "primary_participant": None,
            "participants": [],
            "agent": {"id": str(uuid4()), "name": "Mia"},
            "transcript": {"text": "", "segments": [], "raw": []},
            "recording": None,
            "intelligence": {
                "status": "pending",
                "summary": None,
                "sentiment": None,
                "structured_data": None,
                "evaluation": None,
                "errors": [],
                "analyser": None,
                "usage": [],
            },
            "usage": [],
            "collected_slots": {},
            "events": [],
        }
    ),
    transcript=TranscriptView.model_validate(
        {
            "transcript": [segments(("agent", "It is fifty"))[0] | RAW | {"interrupted": True}],
            "text": "",
            "segments": segments(
                ("agent", "Good morning! How can I help?"),
                *(("user", line) for line in (*LINES, "Goodbye.")),
            ),
        }
    ),
    events=[
        CallEventView.model_validate(
            {
                "id": str(uuid4()),
                "call_id": CALL_ID,
                "level": "info",
                "source": "lifecycle",
                "message": "Call started",
                "created_at": AT,
            }
        )
    ],
    balance_before=balance(9.99),
    balance_after=balance(9.9525),
    transactions=[CHARGE, transaction(None, 9.99, {})],
    bill=BILL,
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
    return replace(GOOD, call=GOOD.call.model_copy(update=changes))


def without_speaker(speaker: str) -> Evidence:
    kept = [each for each in GOOD.transcript.segments if each.speaker != speaker]
    return replace(GOOD, transcript=GOOD.transcript.model_copy(update={"segments": kept}))


def uninterrupted() -> Evidence:
    return replace(GOOD, transcript=GOOD.transcript.model_copy(update={"transcript": []}))


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
            lambda: replace(GOOD, bill=BILL.model_copy(update={"agents": []})),
            "the charge's price rows add up to it",
        ),
        (
            lambda: replace(GOOD, balance_after=balance(9.952499)),
            "the ledger's entries sum to the balance",
        ),
        (
            lambda: replace(GOOD, balance_after=balance(9.94)),
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


def test_what_could_not_be_measured_is_not_called_slow() -> None:
    [cut_in] = [check for check in checked(with_summary(barge_in_ms=(None,))) if not check.passed]
    assert cut_in.is_latency
    assert not cut_in.was_measured
    assert cut_in.detail == ("not measured (the agent was just silent when the caller cut in)")


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
