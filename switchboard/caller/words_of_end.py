"""Why a call ended, in words for the person at the terminal. Pure."""

from __future__ import annotations

from contracts.call_status import CallStatus
from contracts.end_reasons import STATUS_AFTER, EndReason

_ENDED = {
    EndReason.NORMAL_HANGUP: "The call was ended through the API",
    EndReason.TIME_LIMIT_EXCEEDED: "The call reached its time limit",
    EndReason.MAX_CALL_DURATION: "The call reached the agent's longest duration",
    EndReason.SILENCE_TIMEOUT: "The agent hung up, because nobody spoke any more,",
    EndReason.SILENCE_DEAD_AIR: "The agent hung up, because nobody spoke,",
}
_FAILED = {
    EndReason.INSUFFICIENT_FUNDS: "The account's credit is used up.",
    EndReason.NO_PROVIDER_CONNECTED: "No provider could be reached for the agent.",
    EndReason.SERVER_SHUTDOWN: "Switchboard was stopped during the call.",
    EndReason.WORKER_ERROR: "The media worker of the call died.",
}


def words_of_end(ended_by: str, end_reason: str | None) -> str:
    """The beginning of a sentence that says who or what ended the call.

    Args:
        ended_by: ``CallSummary.ended_by``.
        end_reason: the server's own announcement, if there was one.
    """
    if ended_by == "caller":
        return "You hung up"
    if ended_by == "connection_lost":
        return "The connection was lost"
    if words_of_failure(ended_by, end_reason):
        return "The call broke off"
    reason = _known(end_reason)
    return _ENDED.get(reason, "The agent hung up") if reason else "The call ended"


def words_of_failure(ended_by: str, end_reason: str | None) -> str | None:
    """What went wrong, as a sentence; ``None`` if the call ended as calls should."""
    if ended_by == "connection_lost":
        return "The connection to Switchboard was lost during the call and did not come back."
    reason = _known(end_reason)
    if ended_by == "caller" or reason is None or STATUS_AFTER[reason] is not CallStatus.FAILED:
        return None
    return _FAILED.get(reason, f"The call failed on the server: {reason}.")


def _known(end_reason: str | None) -> EndReason | None:
    """``None`` also for a reason of a newer server."""
    return EndReason(end_reason) if end_reason in set(EndReason) else None
