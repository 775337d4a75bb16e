"""Calls that are too long for one request."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.agent_config import PostCall
from control_plane.calling.intelligence.analysers.assignment import Assignment, SpokenTurn
from control_plane.calling.intelligence.analysers.findings import Obstacle
from control_plane.calling.intelligence.analysers.model.analyser import MOST_CHUNKS, ModelAnalyser
from control_plane.calling.intelligence.analysers.model.transcript_lines import (
    first_lines,
    in_chunks,
    transcript_lines,
)
from control_plane.platform.language_model.completions import Completion, CompletionRequest
from control_plane.platform.language_model.failures import FailureReason, ModelFailed
from tests.control_plane.calling.intelligence.answering import DATA, SUMMARY, VERDICTS
from tests.control_plane.calling.intelligence.conversation import POST_CALL

LONGEST = 2_000


@dataclass
class Reader:
    """Notes what each chunk says about a booking, and answers all other requests well."""

    note: str = "An utterance was about the weather."
    fails_at: int | None = None
    provider: str = "openai"
    model: str = "gpt"
    requests: list[CompletionRequest] = field(default_factory=list)

    async def complete(self, request: CompletionRequest) -> Completion:
        self.requests.append(request)
        if len(self.requests) - 1 == self.fails_at:
            raise ModelFailed(FailureReason.PROVIDER_UNAVAILABLE, "openai answered 503")
        said = request.messages[0].text
        notes = [self.note] + (["The booking code is XK-42."] if "XK-42" in said else [])
        answers = {
            "notes": {"notes": notes},
            "summary": SUMMARY,
            "structured_data": DATA,
            "evaluation": VERDICTS,
        }
        return Completion(json.dumps(answers[request.name]))

    def asked(self, name: str) -> list[CompletionRequest]:
        return [request for request in self.requests if request.name == name]


def long_call(turns: int, words: str = "It is a fine day for a walk in the park.") -> Assignment:
    said = [words] * turns
    said[turns // 2] = "My booking code is XK-42."
    return Assignment(
        agent_name="Reception",
        locale="en-US",
        turns=tuple(
            SpokenTurn(i, "user" if i % 2 else "agent", text, i * 1_000)
            for i, text in enumerate(said)
        ),
        slots={},
        settings=PostCall.model_validate(POST_CALL),
        end_reason=None,
        connected_ms=1_000,
    )


async def test_a_short_call_is_read_as_it_is() -> None:
    model = Reader()
    findings = await ModelAnalyser(model, LONGEST).analyse(long_call(4))
    assert [request.name for request in model.requests] == [
        "summary",
        "structured_data",
        "evaluation",
    ]
    assert findings.errors == ()


async def test_a_long_call_is_read_in_parts_whose_notes_take_its_place() -> None:
    model = Reader()
    findings = await ModelAnalyser(model, LONGEST).analyse(long_call(120))
    notes = model.asked("notes")
    assert len(notes) > 3
    assert f"part 1 of {len(notes)}" in notes[0].instructions
    assert "party_size" in notes[0].instructions, "what the notes are for"
    for name in ("summary", "structured_data", "evaluation"):
        [request] = model.asked(name)
        assert "XK-42" in request.messages[0].text
        assert "fine day" not in request.messages[0].text
    assert findings.summary == SUMMARY["summary"]
    assert findings.errors == ()


async def test_notes_that_are_too_long_themselves_are_noted_again() -> None:
    model = Reader(note="A long note. " * 20)
    findings = await ModelAnalyser(model, LONGEST).analyse(long_call(400))
    chunks = len(in_chunks(transcript_lines(long_call(400).turns, LONGEST), LONGEST))
    assert len(model.asked("notes")) > chunks
    assert findings.summary


async def test_of_an_endless_call_the_middle_is_left_out_and_that_is_said() -> None:
    model = Reader()
    findings = await ModelAnalyser(model, LONGEST).analyse(long_call(4_000))
    assert len([q for q in model.asked("notes") if f"of {MOST_CHUNKS} " in q.instructions]) == (
        MOST_CHUNKS
    )
    assert findings.summary
    assert [error.obstacle for error in findings.errors] == [Obstacle.TRANSCRIPT_SHORTENED]


async def test_a_failure_while_reading_leaves_every_part_open() -> None:
    findings = await ModelAnalyser(Reader(fails_at=2), LONGEST).analyse(long_call(120))
    assert findings.can_be_tried_again
    assert [error.part for error in findings.errors] == [
        "summary",
        "structured_data",
        "evaluation",
    ]


@pytest.mark.parametrize("character", ["a", "<", "\x00", "ü", '"'])
async def test_one_endless_utterance_is_cut_into_pieces(character: str) -> None:
    model = Reader()
    await ModelAnalyser(model, LONGEST).analyse(long_call(2, character * 5 * LONGEST))
    assert all(len(q.messages[0].text) <= LONGEST + 200 for q in model.requests)


@given(st.lists(st.text(max_size=900), max_size=60), st.integers(1_000, 5_000))
def test_chunks_hold_every_line_in_order_and_none_is_too_long(
    texts: list[str], longest: int
) -> None:
    lines = [f"{number} {text}" for number, text in enumerate(texts)]
    chunks = in_chunks(lines, longest)
    assert all(sum(map(len, chunk)) <= longest for chunk in chunks)
    assert all(chunks)
    once = [line for chunk in chunks for line in chunk]
    assert list(dict.fromkeys(once)) == lines
    assert len(once) - len(lines) < max(1, len(chunks)), "one line at most is repeated a chunk"


@given(st.lists(st.text(max_size=50), max_size=30), st.integers(0, 500))
def test_first_lines_stop_before_it_is_too_much(lines: list[str], longest: int) -> None:
    kept = first_lines(lines, longest)
    assert lines[: len(kept)] == kept
    assert sum(map(len, kept)) <= longest
    if len(kept) < len(lines):
        assert sum(map(len, lines[: len(kept) + 1])) > longest
