"""Why a call ended, as a sentence of its summary. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from contracts.dial_outcome import DialOutcome
from contracts.end_reasons import EndReason

_SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        EndReason.PARTICIPANT_DISCONNECTED: "The caller hung up.",
        EndReason.CLIENT_DISCONNECTED: "The caller's connection was lost and did not come back.",
        EndReason.NORMAL_HANGUP: "The call was ended over the API or by the operator.",
        EndReason.NATURAL_END: "The conversation came to its end.",
        EndReason.END_CALL_TOOL: "The agent ended the call.",
        EndReason.AGENT_ENDED_CALL: "The agent left the call.",
        EndReason.COMPLETED: "The phone line was closed normally.",
        EndReason.TIME_LIMIT_EXCEEDED: "The call reached its time limit.",
        EndReason.MAX_CALL_DURATION: "The call reached the longest duration that the agent allows.",
        EndReason.SILENCE_TIMEOUT: "The caller fell silent, so the agent hung up.",
        EndReason.SILENCE_DEAD_AIR: "The caller never spoke, so the agent hung up.",
        EndReason.DEMO_IDLE_TIMEOUT: "The demo was no longer used.",
        EndReason.VOICEMAIL_DETECTED: "An answering machine answered, and no message was left.",
        EndReason.VOICEMAIL_LEFT: "An answering machine answered, and the agent left a message.",
        EndReason.INSUFFICIENT_FUNDS: "The account's credit did not pay for more time.",
        EndReason.NO_PROVIDER_CONNECTED: "No provider could be reached for the agent.",
        EndReason.ROOM_SETUP_FAILED: "The call failed: its room could not be opened.",
        EndReason.ROOM_CONNECTION_FAILED: "Nobody's voice connection was made in time.",
        EndReason.SESSION_INIT_FAILED: "The call failed: the agent could not be prepared.",
        EndReason.SESSION_START_FAILED: "The call failed: the agent could not start.",
        EndReason.WORKER_ERROR: "The call broke off: the media worker that ran it died.",
        EndReason.SESSION_ERROR: "The call broke off: the agent stopped working.",
        EndReason.SERVER_SHUTDOWN: "The call broke off: its media worker was stopped.",
        EndReason.REAPER_QUEUED_TIMEOUT: "No worker or phone line took the call in time.",
        EndReason.REAPER_POST_DIAL_TIMEOUT: "A phone was dialed, and nothing more was heard of it.",
        EndReason.REAPER_IN_PROGRESS_TIMEOUT: "The call ran far beyond its longest duration and "
        "was ended.",
        EndReason.CANCELED: "The call was canceled before anybody was dialed.",
        EndReason.DO_NOT_CALL: "The number must not be called, so it was not dialed.",
    }
)
_OF_CARRIERS: Mapping[DialOutcome, str] = MappingProxyType(
    {
        DialOutcome.NO_ANSWER: "Nobody picked up the phone.",
        DialOutcome.BUSY: "The line was busy.",
        DialOutcome.REJECTED: "The phone refused the call.",
        DialOutcome.UNREACHABLE: "The phone number could not be reached.",
        DialOutcome.CANCELED: "Nobody picked up before we gave up.",
        DialOutcome.FAILED: "The call failed: its phone line was not opened, or was lost.",
    }
)


def sentence_about(end_reason: str) -> str:
    """
    Args:
        end_reason: of ``contracts.end_reasons``, or of ``carrier_end_reason``. A newer release may
            know others.
    """
    known = _SENTENCES.get(end_reason)
    if known is not None:
        return known
    for outcome, words in _OF_CARRIERS.items():
        if end_reason.endswith(f"_{outcome}"):
            return words
    return "The call ended."
