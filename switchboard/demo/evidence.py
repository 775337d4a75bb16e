"""What the public API and the caller report about one finished call."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from switchboard.caller.reports import CallSummary
from switchboard.problems import Problem
from switchboard_client import AsyncSwitchboard
from switchboard_client.models import (
    Balance,
    CallBill,
    CallDetail,
    CallEventView,
    Transaction,
    TranscriptView,
)

_SETTLED_WITHIN_SECONDS = 15.0
_POLL_SECONDS = 0.2
_TERMINAL = frozenset({"completed", "failed", "no_answer", "busy", "canceled"})
_MOST_TRANSACTIONS = 200


@dataclass(frozen=True)
class Evidence:
    """The caller's summary and the API's answers. ``transactions``: the account's newest 200."""

    summary: CallSummary
    call: CallDetail
    transcript: TranscriptView
    events: list[CallEventView]
    balance_before: Balance
    balance_after: Balance
    transactions: list[Transaction]
    bill: CallBill


async def collect(api: AsyncSwitchboard, summary: CallSummary, balance_before: Balance) -> Evidence:
    """
    Raises:
        Problem: the call did not end for the API within 15 s.
        SwitchboardError: the API did not answer.
    """
    call = await _ended_call(api, summary.call_id)
    transcript, events, balance, transactions, bill = await asyncio.gather(
        api.calls.transcript(summary.call_id),
        api.calls.events(summary.call_id, limit=200),
        api.billing.balance(),
        api.billing.transactions(limit=_MOST_TRANSACTIONS),
        api.calls.bill(summary.call_id),
    )
    return Evidence(
        summary=summary,
        call=call,
        transcript=transcript,
        events=events.events,
        balance_before=balance_before,
        balance_after=balance,
        transactions=transactions.transactions,
        bill=bill,
    )


async def _ended_call(api: AsyncSwitchboard, call_id: str) -> CallDetail:
    try:
        async with asyncio.timeout(_SETTLED_WITHIN_SECONDS):
            while True:
                call = await api.calls.show(call_id)
                if call.status in _TERMINAL:
                    return call
                await asyncio.sleep(_POLL_SECONDS)
    except TimeoutError:
        raise Problem(
            f"The call is over, but its record did not end within {_SETTLED_WITHIN_SECONDS:.0f} s.",
            "See the logs of the worker and of the jobs process.",
        ) from None
