"""The cells of docs/faults.md: what a provider did, in which channel, and how long a caller waited.

The tests of the channels note them as properties of their results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter

from contracts.call_plan import Channel

RealtimeColumn = Literal["realtime", "realtime google"]
"""OpenAI's and Google's."""
FaultyChannel = Channel | RealtimeColumn
OwnEndpoint = Literal["custom_llm", "custom_transcriber", "custom_voice svc", "custom_voice compat"]
"""Of a tenant."""
HowLong = Literal["once", "for ever"]
PROPERTY = "fault_cell"
MOST_WAIT_MS = 2_500
"""From when the answer was due."""


@dataclass(frozen=True)
class Cell:
    channel: FaultyChannel | OwnEndpoint
    fault: str
    how_long: HowLong
    waited_ms: int


def note(
    record_property: Callable[[str, object], None],
    channel: FaultyChannel | OwnEndpoint,
    fault: str,
    how_long: HowLong,
    waited_seconds: float,
) -> None:
    """Note a cell with pytest's ``record_property``."""
    cell = Cell(channel, fault, how_long, round(waited_seconds * 1000))
    record_property(PROPERTY, _CELL.dump_json(cell).decode())


def noted(properties: Iterator[tuple[str, str]]) -> Iterator[Cell]:
    """The cells among the properties of a result."""
    return (_CELL.validate_json(value) for name, value in properties if name == PROPERTY)


_CELL: TypeAdapter[Cell] = TypeAdapter(Cell)
