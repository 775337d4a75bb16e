from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.texts.sendable_text import sendable


@pytest.mark.parametrize(
    ("text", "sent"),
    [("", ""), ("Grüße 👋", "Grüße 👋"), ("a\0b", "ab"), ("a\ud800b", "a?b"), ("\udfff\0ä", "?ä")],
)
def test_only_what_cannot_be_sent_is_changed(text: str, sent: str) -> None:
    assert sendable(text) == sent


@given(st.text(st.characters(exclude_categories=())))
def test_whatever_comes_can_be_sent(text: str) -> None:
    assert b"\0" not in sendable(text).encode()
