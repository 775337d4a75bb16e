"""A transcript as lines of JSON, in chunks that fit into a request. Pure.

Each turn is one JSON object on a line of its own. What was said stays inside its string: no
words can end the line, pretend to be another speaker or look like the tags around the transcript.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from control_plane.calling.intelligence.analysers.assignment import SpokenTurn

_SPEAKERS = {"user": "caller", "agent": "agent"}
_TAGS = str.maketrans({"<": "\\u003c", ">": "\\u003e"})
_LONGEST_REPEATED = 600
_LONGEST_ESCAPE = 6
"""Characters that one character can become in a line, for example ``\\u003c``."""


def transcript_lines(turns: Iterable[SpokenTurn], longest: int) -> list[str]:
    """One line for each turn. A very long one is split, so that no line is longer than
    ``longest``."""
    return [
        line(n=each.sequence, speaker=_SPEAKERS[each.speaker], said=piece)
        for each in turns
        for piece in _pieces(each.text, longest // _LONGEST_ESCAPE // 2)
    ]


def line(**fields: str | int) -> str:
    """One line of JSON in which ``<`` and ``>`` are escaped."""
    return json.dumps(fields, ensure_ascii=False).translate(_TAGS)


def in_chunks(lines: Sequence[str], longest: int) -> list[list[str]]:
    """Split ``lines`` into runs of at most ``longest`` characters.

    If the last line of a chunk is short, the next chunk repeats it: an answer means nothing
    without its question.
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
    """The first ``lines`` that together have at most ``longest`` characters."""
    kept: list[str] = []
    for each in lines:
        longest -= len(each)
        if longest < 0:
            break
        kept.append(each)
    return kept


def _pieces(text: str, longest: int) -> list[str]:
    return [text[at : at + longest] for at in range(0, len(text), longest)] or [""]
