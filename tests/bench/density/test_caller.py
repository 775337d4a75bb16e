"""When a caller of the density bench speaks, and what it measures."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from bench.density.caller import INTERRUPTS_EVERY_LINES, PATIENCE_SECONDS, PAUSE_SECONDS, Caller
from bench.density.encoded_speech import EncodedLine
from bench.density.heard import Notebook
from switchboard_client.webrtc.frame import FRAME_SAMPLES, FRAME_SECONDS, silence

WORD, NOISE = b"word", b"noise"
LINE = EncodedLine("Yes.", [WORD] * 11, 10 * FRAME_SAMPLES)
LINE_SECONDS = 10 * FRAME_SECONDS
LOUD = np.full(FRAME_SAMPLES, 1_000, np.int16)


class Conversation:
    """A caller whose agent says what the test says, on a clock of frames."""

    def __init__(self) -> None:
        self.notebook = Notebook()
        self.caller = Caller("call", 0.0, [LINE], [NOISE], 0, self.notebook)
        self.now = 0.0

    def frames(self, seconds: float, *, agent_speaks: bool = False) -> Iterator[bytes]:
        for _ in range(round(seconds / FRAME_SECONDS)):
            self.caller.hear(LOUD if agent_speaks else silence(), self.now)
            yield self.caller.next_packet(self.now)
            self.now += FRAME_SECONDS

    def says(self, seconds: float, *, agent_speaks: bool = False) -> int:
        """How many packets of speech the caller sends meanwhile."""
        return list(self.frames(seconds, agent_speaks=agent_speaks)).count(WORD)

    def exchange(self, answers_after_seconds: float) -> None:
        """The caller says a line, and the agent answers for half a second."""
        assert self.says(PAUSE_SECONDS + LINE_SECONDS + 0.1) == len(LINE.packets)
        self.says(answers_after_seconds - 0.1)
        assert self.says(0.5, agent_speaks=True) == 0


def test_a_caller_waits_for_the_agents_first_word() -> None:
    assert Conversation().says(30) == 0


def test_a_caller_speaks_when_the_agent_has_been_silent() -> None:
    conversation = Conversation()
    conversation.says(1.0, agent_speaks=True)
    assert conversation.says(PAUSE_SECONDS - 0.1) == 0
    assert conversation.says(1.0) == len(LINE.packets)
    assert conversation.notebook.said == {"call": ["Yes."]}


def test_voice_to_voice_runs_from_the_callers_last_sample_to_the_agents_first() -> None:
    conversation = Conversation()
    conversation.says(1.0, agent_speaks=True)
    conversation.exchange(answers_after_seconds=0.6)
    (answer,) = conversation.notebook.page.answers
    assert answer.voice_to_voice_ms == pytest.approx(600, abs=41)
    assert answer.at_ms == pytest.approx(1_000 + 800 + 200 + 600, abs=61)


def test_a_line_without_an_answer_is_counted_and_the_next_one_is_said() -> None:
    conversation = Conversation()
    conversation.says(1.0, agent_speaks=True)
    conversation.says(2.0)
    assert conversation.says(PATIENCE_SECONDS) == len(LINE.packets)
    assert conversation.notebook.page.unanswered == 1


def test_some_lines_interrupt_and_tell_when_the_agent_was_silent() -> None:
    conversation = Conversation()
    conversation.says(0.5, agent_speaks=True)
    for _ in range(INTERRUPTS_EVERY_LINES - 1):
        conversation.exchange(answers_after_seconds=0.6)
    # The last answer goes on: the caller comes in after 0.9 s of it, and the agent stops at 1.1 s.
    assert conversation.says(0.6, agent_speaks=True) > 0
    conversation.says(1.0)
    conversation.says(0.5, agent_speaks=True)
    conversation.says(1.0)
    assert conversation.notebook.page.barge_in_ms == [pytest.approx(200, abs=41)]
    assert len(conversation.notebook.page.answers) == INTERRUPTS_EVERY_LINES - 1


def test_a_caller_who_is_over_finishes_the_line_and_says_no_other() -> None:
    conversation = Conversation()
    conversation.says(0.5, agent_speaks=True)
    assert conversation.says(PAUSE_SECONDS + 0.1) > 0
    conversation.caller.say_no_more()
    assert 0 < conversation.says(1.0) < len(LINE.packets)
    conversation.says(1.0, agent_speaks=True)
    assert conversation.says(30) == 0
