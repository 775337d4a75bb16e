"""Latencies of a call, measured on the waveforms that the caller sent and received.

Nothing here comes from the server's reports. The rules:

**First sample**: the caller's connection is up → first speech sample received.

**Voice to voice**, one per utterance of the caller: its last speech sample sent → first speech
sample of the agent's reply received. A reply is the first speech that *starts* after the
utterance's end and before the caller's next utterance. If the agent was audible while the
utterance ended (it was not interrupted yet, or it answered too early), there is no silence to
measure: such a turn is ``talked_over`` and has no latency. Speech within ``LEFTOVER_SECONDS`` of
the utterance's end is not a reply either. Nobody can understand and answer in that time, so it was
on its way when the caller stopped. Such a turn is talked over, too.

**Barge-in**, one per utterance that interrupted the agent: its first speech sample sent → last
speech sample of the agent received before ``STOPPED_SECONDS`` of silence. Pauses between an agent's
sentences are shorter than that, so a pause does not count as an end. An agent that is heard both
shortly before the onset and after it was interrupted. An agent that is not heard after the onset
had finished by itself, which is no barge-in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from switchboard.caller.activity import SpeechInterval
from switchboard.caller.speech_queue import SentSpeech

LEFTOVER_SECONDS = 0.1
STOPPED_SECONDS = 0.5


@dataclass(frozen=True)
class VoiceToVoice:
    """``latency_ms`` is set exactly where ``outcome`` is ``answered``."""

    text: str
    outcome: Literal["answered", "unanswered", "talked_over"]
    latency_ms: float | None = None


def first_sample_ms(connected_at: float, agent: Sequence[SpeechInterval]) -> float | None:
    """Milliseconds until the agent was first heard; ``None`` if it never was."""
    return _ms(agent[0].started_at - connected_at) if agent else None


def voice_to_voice(
    caller: Sequence[SentSpeech], agent: Sequence[SpeechInterval]
) -> list[VoiceToVoice]:
    """One entry per utterance, in order."""
    next_starts = [*(each.first_sample_at for each in caller[1:]), math.inf]
    return [
        _reply(utterance, agent, before)
        for utterance, before in zip(caller, next_starts, strict=False)
    ]


def barge_in_ms(utterance: SentSpeech, agent: Sequence[SpeechInterval]) -> float | None:
    """Milliseconds until the agent was silent; ``None`` if it had finished already."""
    onset = utterance.first_sample_at
    before = [each.ended_at for each in agent if each.started_at <= onset]
    if not before or onset - before[-1] >= STOPPED_SECONDS:
        return None
    stopped_at = onset
    for each in agent:
        if each.ended_at <= onset:
            continue
        if each.started_at - stopped_at >= STOPPED_SECONDS:
            break
        stopped_at = each.ended_at
    if stopped_at == onset:
        return None
    return _ms(stopped_at - onset)


def percentile(values: Sequence[float], percent: float) -> float | None:
    """The nearest-rank percentile: an observed value that ``percent`` % of them do not exceed.

    ``None`` without values.
    """
    if not values:
        return None
    rank = max(1, math.ceil(percent / 100 * len(values)))
    return sorted(values)[rank - 1]


def _reply(utterance: SentSpeech, agent: Sequence[SpeechInterval], before: float) -> VoiceToVoice:
    ended_at = utterance.last_sample_at
    following = [each for each in agent if each.ended_at > ended_at and each.started_at < before]
    if not following:
        return VoiceToVoice(utterance.text, "unanswered")
    latency = following[0].started_at - ended_at
    if latency < LEFTOVER_SECONDS:
        return VoiceToVoice(utterance.text, "talked_over")
    return VoiceToVoice(utterance.text, "answered", _ms(latency))


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)
