from __future__ import annotations

from typing import Any

import pytest

from link.stream_entry import StreamEntry, entries_by_stream, listed_entries

ONE = ("1-0", {"json": "{}"})
TWO = ("2-0", {"json": "[]"})
READ = {"a": [StreamEntry("1-0", "{}"), StreamEntry("2-0", "[]")]}


def test_an_entry_without_a_document_has_an_empty_one() -> None:
    assert listed_entries([("1-0", {"other": "field"})]) == [StreamEntry("1-0", "")]


def test_entries_that_were_deleted_while_pending_are_left_out() -> None:
    assert listed_entries([ONE, ("2-0", None)]) == [StreamEntry("1-0", "{}")]


@pytest.mark.parametrize("nothing", [None, [], {}])
def test_a_reply_after_a_timeout_has_no_entries(nothing: Any) -> None:
    assert listed_entries(nothing) == []
    assert entries_by_stream(nothing) == {}


@pytest.mark.parametrize(
    "reply",
    [[["a", [ONE, TWO]]], {"a": [ONE, TWO]}, {"a": [[ONE, TWO]]}],
    ids=["version 2", "version 3", "version 3, wrapped"],
)
def test_every_shape_of_a_reply_gives_the_same_entries(reply: Any) -> None:
    assert entries_by_stream(reply) == READ


def test_a_stream_without_entries_is_read_as_empty() -> None:
    assert entries_by_stream({"a": []}) == {"a": []}


def test_the_id_tells_when_an_entry_was_added() -> None:
    assert StreamEntry("1700000000123-4", "{}").added_at_ms == 1_700_000_000_123
