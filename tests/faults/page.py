"""docs/faults.md: how it is written and read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import get_args

from tests.faults.cells import MOST_WAIT_MS, Cell, FaultyChannel, HowLong, OwnEndpoint

PATH = Path(__file__).parents[2] / "docs" / "faults.md"

FAULTS: Mapping[str, str] = {
    "refused": "nothing listens at the provider's address",
    "401": "it answers with that status",
    "429": "it answers with that status",
    "500": "it answers with that status",
    "hang first": "it accepts the connection and never answers",
    "hang mid": "it stops in the middle and keeps the connection",
    "disconnect mid": "it closes the connection in the middle",
    "garbage": "it sends what is neither an answer nor sound",
    "slow x 10": "everything takes ten times as long",
    "closed at once": "it closes each connection before its handshake",
    "no text": "it takes the sound and never says what it heard",
    "garbage mid": "in the middle it sends what is no part of an answer",
    "error mid": "it reports an error in the middle of its answer",
    "end mid": "it ends in the middle as if that were all",
    "empty": "it answers with nothing",
    "json": "it sends an error document as if it were sound",
    "redirect": "it sends us to another address",
    "compressed": "it compresses what it sends",
}
CHANNELS: Mapping[FaultyChannel, str] = {
    "llm": "language model",
    "stt": "recogniser",
    "tts": "voice",
}
_HOW_LONG: Sequence[HowLong] = ("once", "for ever")
REALTIME: Mapping[FaultyChannel, str] = {
    "realtime": "OpenAI's realtime model",
    "realtime google": "Google's realtime model",
}
_Column = tuple[FaultyChannel | OwnEndpoint, HowLong]
VENDORS: Sequence[_Column] = [
    *product(CHANNELS, _HOW_LONG),
    *((each, "for ever") for each in REALTIME),
]
ENDPOINTS: Sequence[_Column] = [(each, "for ever") for each in get_args(OwnEndpoint)]
MEASURED = "Measured on"

_PAGE = f"""\
# When providers fail

How long callers wait when a provider of their call fails. Real plugins and SDKs speak to a
server on the same machine, which behaves as the row says: for one request (`once`) or for all
of them (`for ever`). The time limits are the default ones, and the next model of the call takes
over ([operator.md](operator.md#when-a-provider-fails)). In every cell all words arrive, each of
them once.

The figures are milliseconds. With a language model: the longest wait for the next words of the
answer. With a recogniser: how much later than usual the caller's last words are understood.
With a voice: the longest silence. With a realtime model: how much later than at best the caller
hears the answer, or the longest silence within it; a call leaves such a model for good when it
fails, so there is no difference between once and for ever. At most {MOST_WAIT_MS:,} ms are
tolerated: above, the tests fail. A cell is empty where a channel cannot have the fault. The
language model speaks OpenAI's protocol, the recogniser Deepgram's, the voice ElevenLabs'.

`make faults` measures all of it and writes this page.

"""
_ENDPOINTS = """\
## A tenant's own endpoints

The same for ever, with [custom endpoints](custom-endpoints.md). The format `compat` of voices tells
no times of words: where it breaks off one word at most is missing or said twice.
"""


def page(cells: Collection[Cell], vendors_machine: str, endpoints_machine: str) -> str:
    """
    Args:
        vendors_machine, endpoints_machine: sentences about where the two tables were measured.
    """
    meanings = [f"- **{fault}**: {meaning}." for fault, meaning in FAULTS.items()]
    parts = [
        *(*_table(cells, VENDORS), "", vendors_machine, "", _ENDPOINTS),
        *(*_table(cells, ENDPOINTS), "", endpoints_machine, "", "## The faults", "", *meanings, ""),
    ]
    return _PAGE + "\n".join(parts)


def _table(cells: Iterable[Cell], columns: Sequence[_Column]) -> Iterator[str]:
    waited = {(each.fault, each.channel, each.how_long): each.waited_ms for each in cells}
    head = " | ".join(_heading(*column) for column in columns)
    yield f"| fault | {head} |"
    yield "|---|" + "--:|" * len(columns)
    for fault in FAULTS:
        values = [waited.get((fault, *column)) for column in columns]
        if any(ms is not None for ms in values):
            row = " | ".join("" if ms is None else f"{max(0, ms):,}" for ms in values)
            yield f"| {fault} | {row} |"


def _heading(channel: FaultyChannel | OwnEndpoint, how_long: HowLong) -> str:
    for name, words in CHANNELS.items():
        if name == channel:
            return f"{words}, {how_long}"
    for name, words in REALTIME.items():
        if name == channel:
            return words
    return f"`{channel}`"


def cells_of(text: str) -> Iterator[Cell]:
    """The cells of a page."""
    for line in text.splitlines():
        fault, *values = (part.strip() for part in line.strip("|").split("|"))
        columns = {len(each): each for each in (VENDORS, ENDPOINTS)}.get(len(values))
        if fault in FAULTS and columns is not None:
            for (channel, how_long), ms in zip(columns, values, strict=True):
                if ms:
                    yield Cell(channel, fault, how_long, int(ms.replace(",", "")))


def machines_of(text: str) -> list[str]:
    """Where the tables of a page were measured."""
    return [line for line in text.splitlines() if line.startswith(MEASURED)]


def unknown_faults(cells: Collection[Cell]) -> set[str]:
    """Faults that the page has no row for."""
    return {each.fault for each in cells} - FAULTS.keys()
