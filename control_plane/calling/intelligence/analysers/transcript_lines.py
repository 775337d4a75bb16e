"""A transcript as a language model is shown it, in pieces that are not too long. Pure.

Each utterance is a line of JSON. Whatever was said stays inside its string: no words can end the
line, begin another speaker's or look like a tag around the transcript.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from control_plane.calling.intelligence.analysers.assignment import Utterance

_SPEAKERS = {"user": "caller", "agent": "agent"}
_TAGS = str.maketrans({"<": "\\u003c", ">": "\\u003e"})
_LONGEST_REPEATED = 600
_LONGEST_ESCAPE = 6
"""What one character may become in a line, ``\\u003c`` for example."""


def transcript_lines(utterances: Iterable[Utterance], longest: int) -> list[str]:
    """One line each, or several for an utterance of more than ``longest`` characters."""
    return [
        line(n=each.sequence, speaker=_SPEAKERS[each.speaker], said=piece)
        for each in utterances
        for piece in _pieces(each.text, longest // _LONGEST_ESCAPE // 2)
    ]


def line(**fields: str | int) -> str:
    """One line of JSON in which ``<`` and ``>`` are escaped."""
    return json.dumps(fields, ensure_ascii=False).translate(_TAGS)


def in_chunks(lines: Sequence[str], longest: int) -> list[list[str]]:
    """Runs of lines of at most ``longest`` characters together.

    A chunk begins with the last line of the one before, if that is short: an answer without its
    question means nothing.
    """
    chunks: list[list[str]] = []
    chunk: list[str] = []
    size = 0
    for each in lines:
        if chunk and size + len(each) > longest:
            chunks.append(chunk)
            last = chunk[-1]
            repeated = len(last) <= _LONGEST_REPEATED and len(last) + len(each) <= longest
            chunk = [last] if repeated else []
            size = sum(map(len, chunk))
        chunk.append(each)
        size += len(each)
    return [*chunks, chunk] if chunk else chunks


def first_lines(lines: Iterable[str], longest: int) -> list[str]:
    """As many of ``lines`` as have at most ``longest`` characters together."""
    kept: list[str] = []
    for each in lines:
        longest -= len(each)
        if longest < 0:
            break
        kept.append(each)
    return kept


def _pieces(text: str, longest: int) -> list[str]:
    return [text[at : at + longest] for at in range(0, len(text), longest)] or [""]
