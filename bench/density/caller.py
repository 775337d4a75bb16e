"""A caller who speaks in turn with an agent, and interrupts it now and then. Pure.

It recognises nothing, so that it costs little: it speaks when the agent has been silent for a
while. What the agent understood is in the transcript.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from bench.density.encoded_speech import EncodedLine, EncodedSpeech
from bench.density.heard import Answer, Notebook
from switchboard.caller.activity import SPEECH_RMS, SpeechActivity
from switchboard.caller.measurements import barge_in_ms
from switchboard.caller.reply_watch import ReplyWatch
from switchboard_client.webrtc.frame import Samples

PAUSE_SECONDS = 0.8
"""After the agent's last sound. It makes no such pause within an answer."""
PATIENCE_SECONDS = 8.0
"""After so long without an answer the caller goes on."""
INTERRUPTS_EVERY_LINES = 3
INTERRUPTS_AFTER_SECONDS = 0.9
"""Of an answer."""
_STILL_SPEAKS_SECONDS = 0.06


class Caller:
    """``hear`` gets each packet's samples, ``next_packet`` gives one every 20 ms.

    Args:
        requested_at: when ``POST /v1/calls`` was sent. All times are monotonic seconds.
        first_line: where in ``lines`` this caller begins.
    """

    def __init__(
        self,
        call_id: str,
        requested_at: float,
        lines: Sequence[EncodedLine],
        noise: Sequence[bytes],
        first_line: int,
        notebook: Notebook,
    ) -> None:
        self._call_id = call_id
        self._lines = lines
        self._next_line = first_line
        self._notebook = notebook
        self._said = notebook.said.setdefault(call_id, [])
        self._speech = EncodedSpeech(noise)
        self._agent = SpeechActivity()
        self._watch = ReplyWatch(requested_at)
        self._agent_began_at: float | None = None
        """Its turn of now."""
        self._interrupts = False
        """Whether the line that is said, or was said last, interrupts the agent."""
        self._is_over = False

    @property
    def rest_seconds(self) -> float:
        """Of the line that is being said."""
        return self._speech.rest_seconds

    def say_no_more(self) -> None:
        self._is_over = True
        self._settle_interruption()

    def hear(self, samples: Samples, arrived_at: float) -> None:
        if samples.max(initial=0) < SPEECH_RMS:
            return
        self._agent.push(samples, arrived_at)
        speech = self._speech
        onset = self._watch.onset(self._agent.intervals, speech.spoken, speech.is_silent)
        if onset is None:
            return
        self._agent_began_at = onset.at
        if onset.latency_ms is None:
            return
        page = self._notebook.page
        if not speech.spoken:
            page.first_sample_ms.append(onset.latency_ms)
        elif not self._interrupts:
            at_ms = (onset.at - self._agent.intervals[0].started_at) * 1000
            page.answers.append(Answer(self._call_id, at_ms, onset.latency_ms))

    def next_packet(self, now: float) -> bytes:
        if self._speech.is_silent and not self._is_over:
            if self._may_interrupt(now):
                self._say(now, interrupts=True)
            elif self._may_speak(now):
                self._say(now, interrupts=False)
        return self._speech.next_packet(now)

    def _say(self, now: float, *, interrupts: bool) -> None:
        self._settle_interruption()
        line = self._lines[self._next_line % len(self._lines)]
        self._next_line += 1
        self._interrupts, self._agent_began_at = interrupts, None
        self._said.append(line.text)
        self._speech.say(line, now)

    def _may_interrupt(self, now: float) -> bool:
        last, began_at = self._agent.last_speech_at, self._agent_began_at
        return (
            len(self._said) % INTERRUPTS_EVERY_LINES == INTERRUPTS_EVERY_LINES - 1
            and began_at is not None
            and last is not None
            and now - began_at >= INTERRUPTS_AFTER_SECONDS
            and now - last <= _STILL_SPEAKS_SECONDS
        )

    def _may_speak(self, now: float) -> bool:
        """The agent has answered what was said and is silent, or has not answered for long."""
        last, spoken = self._agent.last_speech_at, self._speech.spoken
        if last is None:
            return False
        if not spoken or last > spoken[-1].last_sample_at:
            return now - last >= PAUSE_SECONDS
        if now - spoken[-1].last_sample_at < PATIENCE_SECONDS:
            return False
        self._notebook.page.unanswered += 1
        return True

    def _settle_interruption(self) -> None:
        """Note how long the last interruption took, once the agent's reaction has been heard."""
        if not self._interrupts or not self._speech.spoken or not self._speech.is_silent:
            return
        took_ms = barge_in_ms(self._speech.spoken[-1], self._agent.intervals)
        if took_ms is not None:
            self._notebook.page.barge_in_ms.append(took_ms)
        self._interrupts = False


def gaps_ms(arrived_at: Sequence[float]) -> list[float]:
    """Between packets, from seconds."""
    return [(after - before) * 1000 for before, after in pairwise(arrived_at)]
