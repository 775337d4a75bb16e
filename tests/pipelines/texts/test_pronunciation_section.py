from __future__ import annotations

from contracts.agent_config import Pronunciation
from pipelines.texts.pronunciation_section import pronunciation_section


def test_each_word_has_a_line() -> None:
    table = (
        Pronunciation(word="SQL", say_as="sequel"),
        Pronunciation(word="Nguyen", say_as="win"),
    )
    assert pronunciation_section(table).splitlines()[2:] == ["- SQL: sequel", "- Nguyen: win"]


def test_without_any_there_is_no_section() -> None:
    assert pronunciation_section(()) == ""
