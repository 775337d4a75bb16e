"""Each example's transcript is what its agent says today. ``make docs`` writes them again."""

from __future__ import annotations

import os

import pytest

from tests.examples.conversation import (
    EXAMPLES,
    agent_document,
    converse,
    example_names,
    transcript,
)

UPDATE = "SWITCHBOARD_UPDATE_DOCS"
"""Environment variable: with it, the transcripts are written instead of compared."""

every_example = pytest.mark.parametrize("name", example_names())


def test_there_are_five_kinds() -> None:
    assert example_names() == ["dentist", "reminder", "restaurant", "support", "survey"]


@every_example
def test_the_transcript_is_up_to_date(name: str) -> None:
    file = EXAMPLES / name / "transcript.txt"
    told = transcript(converse(name))
    if os.environ.get(UPDATE):
        file.write_text(told)
    assert file.read_text() == told, "run `make docs` to write the transcripts again"


@every_example
def test_the_conversation_reaches_its_aim(name: str) -> None:
    conversation = converse(name)
    document = agent_document(name)
    wanted = {slot["name"] for slot in document["playbook"].get("requiredSlots", ())}
    assert conversation.is_over
    assert set(conversation.slots) == wanted
    assert list(conversation.tools) == [tool["name"] for tool in document.get("tools", ())]


@every_example
def test_its_page_names_its_own_file(name: str) -> None:
    page = (EXAMPLES / name / "README.md").read_text()
    assert f"agents create --file examples/{name}/agent.json" in page
