"""Figures beside the limits that they must keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console


@dataclass(frozen=True)
class Figure:
    name: str
    value: float
    """Not a number if there was nothing to measure."""
    most: float
    unit: str = ""

    @property
    def is_kept(self) -> bool:
        return self.value <= self.most


def judge(figures: Sequence[Figure], console: Console) -> int:
    """Show each figure beside its limit. Returns the exit code: 1 if one is missed, or if there are
    none."""
    for each in figures:
        verdict = "[green]✓[/green]" if each.is_kept else "[red]✗ missed:[/red]"
        figure = f"{each.name} {each.value:.2f}{each.unit}, at most {each.most:g}{each.unit}"
        console.print(f"{verdict} {figure}", highlight=False, soft_wrap=True)
    return 0 if figures and all(each.is_kept for each in figures) else 1
