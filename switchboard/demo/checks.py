"""Checks whether a demo call kept Switchboard's promises. Pure: evidence in, verdicts out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from contracts.money import MICROS_PER_USD, billable_seconds, charge_micros
from switchboard.caller.measurements import percentile
from switchboard.caller.reports import CallSummary
from switchboard.demo.evidence import Evidence
from switchboard.demo.webhook_inbox import Verified

FEWEST_TURNS = 5
CLEAN_ENDS = ("end_call_tool", "participant_disconnected")
FIRST_SAMPLE_TARGET_MS = 1000
VOICE_TO_VOICE_P50_TARGET_MS = 1000
VOICE_TO_VOICE_P95_TARGET_MS = 1500
BARGE_IN_TARGET_MS = 400
_CLOCKS_AGREE_WITHIN_SECONDS = 2.0
_LEAST_WORDS_RECOGNISED = 0.7
"""Not all, because one side writes numbers in digits and the other in words."""


@dataclass(frozen=True)
class Check:
    """``is_latency``: a failure can mean that the machine is busy, not that there is a defect.

    ``was_measured``: ``False`` of a latency that the call gave no occasion to measure."""

    claim: str
    passed: bool
    detail: str
    is_latency: bool = False
    was_measured: bool = True


def checked(evidence: Evidence) -> list[Check]:
    """All verdicts, in the order in which they are printed."""
    return [
        *_conversation(evidence),
        *_money(evidence),
        *_latencies(evidence.summary),
    ]


WEBHOOK_CLAIM = "a signed webhook told of the call"


def webhook_check(evidence: Evidence, delivery: Verified | None) -> Check:
    """
    Args:
        delivery: the call's ``call.completed``, whose signature is right; ``None``: none came.
    """
    if delivery is None:
        return Check(WEBHOOK_CLAIM, False, "no call.completed has come")
    told = delivery.event.data
    is_right = (
        told.call_id == evidence.call.id
        and told.status == evidence.call.status
        and micros(told.cost) == micros(evidence.call.total_cost or 0)
        and told.transcript is not None
        and len(told.transcript.segments) == len(evidence.transcript.segments)
    )
    return Check(
        WEBHOOK_CLAIM,
        is_right,
        f"${told.cost:.6f} and {len(told.transcript.segments if told.transcript else ())} segments,"
        " signature verified",
    )


def _conversation(evidence: Evidence) -> Iterable[Check]:
    summary, call = evidence.summary, evidence.call
    expected = [turn for turn in summary.turns if not turn.is_goodbye]
    cut_off = [
        each.text
        for each in evidence.transcript.transcript
        if each.speaker == "agent" and each.interrupted
    ]
    unheard = [turn.said for turn in expected if not turn.heard]
    yield Check(
        "the agent opened the call",
        len(summary.opener_heard.split()) >= 2,
        _quoted(summary.opener_heard) if summary.opener_heard else "nothing was heard",
    )
    yield Check(
        f"at least {FEWEST_TURNS} turns, each answered aloud",
        len(expected) >= FEWEST_TURNS and not unheard,
        f"nothing was heard after {_quoted(unheard[0])}" if unheard else f"{len(expected)} turns",
    )
    yield Check(
        "the caller cut in once",
        len(summary.barge_in_ms) == 1 and bool(cut_off),
        f"after {_quoted(cut_off[0])}" if cut_off else "no words of the agent were cut off",
    )
    yield Check(
        "the call ended in good order",
        call.status == "completed" and call.end_reason in CLEAN_ENDS,
        f"{call.status}, {call.end_reason}",
    )
    yield from _transcript(evidence)
    yield Check(
        "the event log tells the call's story",
        any(event.source == "lifecycle" for event in evidence.events)
        and not any(event.level == "error" for event in evidence.events),
        f"{len(evidence.events)} events",
    )


def _transcript(evidence: Evidence) -> Iterable[Check]:
    segments = evidence.transcript.segments
    said = " ".join(turn.said for turn in evidence.summary.turns)
    recognised = " ".join(each.text for each in segments if each.speaker == "user")
    likeness = _likeness(said, recognised)
    yield Check(
        "the transcript has the caller's words",
        likeness >= _LEAST_WORDS_RECOGNISED,
        f"{likeness:.0%} as spoken",
    )
    opener = next((each.text for each in segments if each.speaker == "agent"), "")
    likeness = _likeness(opener, evidence.summary.opener_heard)
    yield Check(
        "the transcript has the agent's words",
        likeness >= _LEAST_WORDS_RECOGNISED,
        f"its opener is {likeness:.0%} what the caller heard" if opener else "it has none",
    )


def _money(evidence: Evidence) -> Iterable[Check]:
    call = evidence.call
    charges = [each for each in evidence.transactions if each.call_id == call.id]
    connected_ms = round((call.bill_duration or 0) * 1000)
    difference = abs(connected_ms / 1000 - evidence.summary.connected_seconds)
    yield Check(
        "the meter agrees with the caller's clock",
        difference <= _CLOCKS_AGREE_WITHIN_SECONDS,
        f"{connected_ms / 1000:.1f} s billed, {evidence.summary.connected_seconds:.1f} s connected",
    )
    rate = charges[0].metadata.get("rate_micros_per_minute") if charges else None
    if len(charges) != 1 or rate is None:
        yield Check("the bill is exact", False, f"{len(charges)} charges with a rate, not 1")
    else:
        seconds = billable_seconds(connected_ms)
        due = charge_micros(seconds, rate)
        charged = -micros(charges[0].amount_usd)
        yield Check(
            "the bill is exact",
            due == charged == micros(call.total_cost or 0) and seconds == call.billable_seconds,
            f"{seconds} s at ${rate / MICROS_PER_USD:.6f} a minute = ${due / MICROS_PER_USD:.6f}; "
            f"charged ${charged / MICROS_PER_USD:.6f}",
        )
    bill = evidence.bill
    rows = [row for agent in bill.agents for row in agent.prices]
    parts = sum(micros(row.cost or 0) for row in rows)
    amount = 0 if bill.charge is None else micros(bill.charge.amount)
    yield Check(
        "the charge's price rows add up to it",
        bool(rows) and parts == amount == micros(call.total_cost or 0),
        f"{len(rows)} rows, together ${parts / MICROS_PER_USD:.6f}",
    )
    after, before = (
        micros(each.balance_usd) for each in (evidence.balance_after, evidence.balance_before)
    )
    total = sum(micros(each.amount_usd) for each in evidence.transactions)
    yield Check(
        "the ledger's entries sum to the balance",
        total == after,
        f"${total / MICROS_PER_USD:.6f} and ${after / MICROS_PER_USD:.6f}",
    )
    yield Check(
        "nothing stays reserved",
        before - after == micros(call.total_cost or 0),
        f"the balance fell by ${(before - after) / MICROS_PER_USD:.6f}",
    )


def _latencies(summary: CallSummary) -> Iterable[Check]:
    values = summary.voice_to_voice_ms
    cut_in = next((each for each in summary.barge_in_ms if each is not None), None)
    measured = f"{len(values)} of {len(summary.turns)} turns measured"
    fell_in_a_pause = cut_in is None and summary.barge_in_ms
    why = "the agent was just silent when the caller cut in" if fell_in_a_pause else ""
    for claim, value, target, note in (
        ("first agent sample", summary.first_sample_ms, FIRST_SAMPLE_TARGET_MS, ""),
        ("voice to voice, p50", percentile(values, 50), VOICE_TO_VOICE_P50_TARGET_MS, measured),
        ("voice to voice, p95", percentile(values, 95), VOICE_TO_VOICE_P95_TARGET_MS, ""),
        ("agent silent after barge-in", cut_in, BARGE_IN_TARGET_MS, why),
    ):
        shown = "not measured" if value is None else f"{value:.0f} ms"
        yield Check(
            f"{claim} ≤ {target} ms",
            value is not None and value <= target,
            f"{shown} ({note})" if note else shown,
            is_latency=True,
            was_measured=value is not None,
        )


def micros(usd: float) -> int:
    """Micro-dollars. The API's dollars are exact to a micro-dollar."""
    return round(usd * MICROS_PER_USD)


def _likeness(one: str, other: str) -> float:
    """How many of two texts' words are the same in the same order, from 0 to 1."""
    words = [re.findall(r"[a-z0-9']+", text.lower()) for text in (one, other)]
    if not all(words):
        return 0.0
    return SequenceMatcher(None, words[0], words[1], autojunk=False).ratio()


def _quoted(text: str) -> str:
    return f"“{text}”"
