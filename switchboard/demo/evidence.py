"""What the public API says about one finished call, and what its caller says."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from switchboard.caller.problems import CallProblem
from switchboard.caller.public_api import PublicApi
from switchboard.caller.reports import CallSummary

_SETTLED_WITHIN_SECONDS = 15.0
_POLL_SECONDS = 0.2
_TERMINAL = frozenset({"completed", "failed", "no_answer", "busy", "canceled"})
_MOST_TRANSACTIONS = 200


@dataclass(frozen=True)
class Evidence:
    """API documents as received. ``transactions`` are the account's newest 200."""

    summary: CallSummary
    call: dict[str, Any]
    transcript: dict[str, Any]
    events: list[dict[str, Any]]
    balance_before: dict[str, Any]
    balance_after: dict[str, Any]
    transactions: list[dict[str, Any]]


async def collect(api: PublicApi, summary: CallSummary, balance_before: dict[str, Any]) -> Evidence:
    """
    Raises:
        CallProblem: the call is not over for the API, or the API does not answer.
    """
    call = await _ended_call(api, summary.call_id)
    transcript, events, balance, transactions = await asyncio.gather(
        api.get(f"/v1/calls/{summary.call_id}/transcript"),
        api.get(f"/v1/calls/{summary.call_id}/events", limit=200),
        api.get("/v1/billing/balance"),
        api.get("/v1/billing/transactions", limit=_MOST_TRANSACTIONS),
    )
    return Evidence(
        summary=summary,
        call=call,
        transcript=transcript,
        events=events["events"],
        balance_before=balance_before,
        balance_after=balance,
        transactions=transactions["transactions"],
    )


async def _ended_call(api: PublicApi, call_id: str) -> dict[str, Any]:
    try:
        async with asyncio.timeout(_SETTLED_WITHIN_SECONDS):
            while True:
                call = await api.get(f"/v1/calls/{call_id}")
                if call["status"] in _TERMINAL:
                    return call
                await asyncio.sleep(_POLL_SECONDS)
    except TimeoutError:
        raise CallProblem(
            f"The call is over, but its record did not end within {_SETTLED_WITHIN_SECONDS:.0f} s.",
            "See the logs of the worker and of the jobs process.",
        ) from None
