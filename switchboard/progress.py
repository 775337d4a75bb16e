"""What a person at the terminal sees while processes start."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from rich.console import Console
from rich.text import Text


class Progress(Protocol):
    """Takes the reports of ``running_system``."""

    def step(self, what: str) -> AbstractContextManager[None]:
        """A block for something that takes time. An exception in it means that it failed."""
        ...

    def warn(self, text: str) -> None: ...


class TerminalProgress:
    """Prints a line for each finished step, with the seconds it took."""

    def __init__(self, console: Console) -> None:
        self._console = console

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        started_at = time.monotonic()
        try:
            yield
        except Exception:
            self._console.print(f"  [red]✗[/red] {what}")
            raise
        seconds = time.monotonic() - started_at
        self._console.print(f"  [green]✓[/green] {what} [dim]{seconds:.1f} s[/dim]")

    def warn(self, text: str) -> None:
        self._console.print(Text.assemble("  ", ("!", "yellow"), f" {text}"), soft_wrap=True)
