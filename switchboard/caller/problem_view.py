"""What went wrong, on a terminal: the fact, and below it what to do."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text


def show_problem(console: Console, detail: str, advice: str = "") -> None:
    console.print(Text.assemble(("  ✗ ", "red"), detail), soft_wrap=True)
    if advice:
        console.print(Text(f"    {advice}", style="dim"), soft_wrap=True)
