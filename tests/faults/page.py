"""docs/faults.md: how it is written and read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

from tests.faults.cells import MOST_WAIT_MS, Cell, FaultyChannel, HowLong

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
}
CHANNELS: Mapping[FaultyChannel, str] = {
    "llm": "language model",
    "stt": "recogniser",
    "tts": "voice",
}
_HOW_LONG: Sequence[HowLong] = ("once", "for ever")
_REALTIME: tuple[FaultyChannel, HowLong] = ("realtime", "for ever")
_COLUMNS = [*product(CHANNELS, _HOW_LONG), _REALTIME]

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
language model speaks OpenAI's protocol, the recogniser Deepgram's, the voice ElevenLabs', the
realtime model OpenAI's.

`make faults` measures all of it and writes this page.

"""


def page(cells: Iterable[Cell], machine: str) -> str:
    """
    Args:
        machine: a sentence about where it was measured.
    """
    waited = {(each.fault, each.channel, each.how_long): each.waited_ms for each in cells}
    names = [f"{name}, {how_long}" for name, how_long in product(CHANNELS.values(), _HOW_LONG)]
    head = " | ".join([*names, "realtime model"])
    lines = [f"| fault | {head} |", "|---|" + "--:|" * len(_COLUMNS)]
    for fault in FAULTS:
        values = (waited.get((fault, *column)) for column in _COLUMNS)
        row = " | ".join("" if ms is None else f"{max(0, ms):,}" for ms in values)
        lines.append(f"| {fault} | {row} |")
    meanings = [f"- **{fault}**: {meaning}." for fault, meaning in FAULTS.items()]
    return _PAGE + "\n".join([*lines, "", machine, "", "## The faults", "", *meanings, ""])


def cells_of(text: str) -> Iterator[Cell]:
    """The cells of a page."""
    for line in text.splitlines():
        fault, *values = (part.strip() for part in line.strip("|").split("|"))
        if fault in FAULTS and len(values) == len(_COLUMNS):
            for (channel, how_long), ms in zip(_COLUMNS, values, strict=True):
                if ms:
                    yield Cell(channel, fault, how_long, int(ms.replace(",", "")))


def unknown_faults(cells: Collection[Cell]) -> set[str]:
    """Faults that the page has no row for."""
    return {each.fault for each in cells} - FAULTS.keys()
