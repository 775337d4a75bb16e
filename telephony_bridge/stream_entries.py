"""Answers to XREAD and XREADGROUP, in both versions of the protocol."""

from __future__ import annotations

from typing import Any, NamedTuple

from contracts import redis_names


class Entry(NamedTuple):
    entry_id: str
    document: str


def entries_of(answer: Any) -> list[Entry]:
    """The entries of every stream in ``answer``; an answer without any is ``None`` or empty."""
    streams = answer.values() if isinstance(answer, dict) else (each for _, each in answer or ())
    return [
        Entry(str(entry_id), str(fields.get(redis_names.FIELD, "")))
        for entries in streams
        for entry_id, fields in entries
    ]
