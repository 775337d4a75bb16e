"""Starts children in any order, in parallel, and stops the ones with the highest rank first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from switchboard.supervision.child import Child, ChildSpec

_LOG_KEPT_BYTES = 20_000_000


class Supervisor:
    """The children of one data directory; their output goes to ``log_dir/NAME.log``.

    ``on_change(child)`` is called whenever a child was started or has died.
    """

    def __init__(self, log_dir: Path, on_change: Callable[[Child], None]) -> None:
        self._log_dir = log_dir
        self._on_change = on_change
        self._ranks: dict[int, list[Child]] = {}
        log_dir.mkdir(parents=True, exist_ok=True)

    @property
    def children(self) -> list[Child]:
        return [child for rank in sorted(self._ranks) for child in self._ranks[rank]]

    async def start(self, spec: ChildSpec, rank: int) -> None:
        """Start one child and wait until it is ready. Higher ranks are stopped earlier.

        Raises ``ChildFailed``.
        """
        log_path = self._log_dir / f"{spec.name}.log"
        if log_path.exists() and log_path.stat().st_size > _LOG_KEPT_BYTES:
            log_path.replace(log_path.with_suffix(".log.1"))
        child = Child(spec, log_path, self._on_change)
        self._ranks.setdefault(rank, []).append(child)
        await child.start()

    async def stop(self, grace_seconds: dict[int, float]) -> None:
        """Stop all, rank by rank. What still runs after ``grace_seconds[rank]`` is killed."""
        for rank in sorted(self._ranks, reverse=True):
            grace = grace_seconds[rank]
            await asyncio.gather(*(child.stop(grace) for child in self._ranks[rank]))
