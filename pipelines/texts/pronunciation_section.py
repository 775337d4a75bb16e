"""Telling a model that speaks itself how words are pronounced. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from contracts.agent_config import Pronunciation


def pronunciation_section(pronunciations: Sequence[Pronunciation]) -> str:
    """A section of its prompt; empty without any. Whether the model keeps to it is its own affair:
    there is no text between its thought and its voice that could be rewritten."""
    if not pronunciations:
        return ""
    lines = "\n".join(f"- {each.word}: {each.say_as}" for each in pronunciations)
    return f"# Pronunciation\nSay these words the way that stands after the colon:\n{lines}"
