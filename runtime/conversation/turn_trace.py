"""One turn of a conversation in the call's trace, from the latencies that the engine measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from telemetry.tracing import record

if TYPE_CHECKING:
    from opentelemetry.context import Context


def trace_turn(call: Context | None, spoken_at: float, latencies: Mapping[str, int | None]) -> None:
    """Add a span from the caller's last word to the agent's first, with one for each part.

    The engine says how long each part took, not when it began. So the parts stand one after the
    other: what was heard, what the model wrote, what the voice said.

    Args:
        call: where the turn belongs; ``None`` while nothing is traced.
        spoken_at: when the agent began to speak (Unix time in seconds).
        latencies: the fields of ``TurnMeasured``.
    """
    end_to_end_ms = latencies["end_to_end_ms"]
    if call is None or end_to_end_ms is None:
        return
    heard_at = spoken_at - end_to_end_ms / 1000
    turn = record("turn", call, heard_at, spoken_at)
    decided_at = _part("stt", turn, heard_at, latencies["end_of_turn_delay_ms"])
    written_at = _part("llm", turn, decided_at, latencies["llm_first_token_ms"])
    _part("tts", turn, written_at, latencies["tts_first_byte_ms"])


def _part(name: str, turn: Context | None, begun_at: float, took_ms: int | None) -> float:
    """Returns when it ended."""
    if took_ms is None:
        return begun_at
    ended_at = begun_at + took_ms / 1000
    record(name, turn, begun_at, ended_at)
    return ended_at
