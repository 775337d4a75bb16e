"""One line of a call's transcript on a terminal."""

from __future__ import annotations

from rich.table import Column, Table
from rich.text import Text

_SPEAKERS = {"agent": ("agent", "bold cyan"), "user": ("caller", "bold green")}


def transcript_line(
    at_ms: int, speaker: str, text: str, latency_ms: float | None = None, *, is_final: bool = True
) -> Table:
    """When it was said, who said it, how long the answer took, and the words.

    Args:
        at_ms: since the start of the call.
        speaker: ``agent`` or ``user``.
        is_final: ``False`` while the speaker goes on; the words are then printed dim.
    """
    name, style = _SPEAKERS.get(speaker, (speaker, ""))
    minutes, seconds = divmod(at_ms // 1000, 60)
    line = Table.grid(
        Column(width=7, justify="right"),
        Column(width=6),
        Column(width=7, justify="right"),
        Column(overflow="fold"),
        padding=(0, 2, 0, 0),
    )
    line.add_row(
        Text(f"{minutes}:{seconds:02d}", style="dim"),
        Text(name, style=style),
        Text("" if latency_ms is None else f"{latency_ms:.0f} ms", style="dim"),
        Text(text, style="" if is_final else "dim"),
    )
    return line
