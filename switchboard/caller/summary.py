"""Makes a call's summary from what the caller sent and received. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from switchboard.caller.activity import SpeechInterval
from switchboard.caller.measurements import barge_in_ms, first_sample_ms, voice_to_voice
from switchboard.caller.reports import CallerTurn, CallSummary
from switchboard.caller.speech_queue import SentSpeech
from switchboard.caller.turn_taking import HeardWords, Say


def summarise(
    *,
    call_id: str,
    ended_by: Literal["caller", "agent", "connection_lost"],
    end_reason: str | None,
    connected_at: float,
    ended_at: float,
    said: Sequence[Say],
    spoken: Sequence[SentSpeech],
    heard: Sequence[HeardWords],
    agent: Sequence[SpeechInterval],
) -> CallSummary:
    """
    Args:
        said: everything that the caller began to say.
        spoken: everything that it said to the end. The last of ``said`` is missing here when the
            end of the call cut it off.
        heard: the agent's turns, as the caller understood them.
        agent: when the agent was audible.
    """
    latencies = voice_to_voice(spoken, agent)
    turns = tuple(
        CallerTurn(
            said=line.text,
            heard=_heard_in_return(index, spoken, heard),
            outcome=latency.outcome,
            latency_ms=latency.latency_ms,
            is_goodbye=line.is_goodbye,
        )
        for index, (line, latency) in enumerate(zip(said, latencies, strict=False))
    )
    first_spoken_at = spoken[0].first_sample_at if spoken else ended_at
    return CallSummary(
        call_id=call_id,
        ended_by=ended_by,
        end_reason=end_reason,
        connected_seconds=round(ended_at - connected_at, 3),
        opener_heard=_joined(each for each in heard if each.started_at < first_spoken_at),
        first_sample_ms=first_sample_ms(connected_at, agent),
        turns=turns,
        barge_in_ms=tuple(
            barge_in_ms(sent, agent)
            for line, sent in zip(said, spoken, strict=False)
            if line.is_interruption
        ),
    )


def _heard_in_return(index: int, spoken: Sequence[SentSpeech], heard: Sequence[HeardWords]) -> str:
    """The agent's turns that began after this line began and before the next one did."""
    begun_at = spoken[index].first_sample_at
    next_at = spoken[index + 1].first_sample_at if index + 1 < len(spoken) else float("inf")
    return _joined(each for each in heard if begun_at <= each.started_at < next_at)


def _joined(heard: Iterable[HeardWords]) -> str:
    return " ".join(each.text for each in heard if each.text)
