"""Starts children in any order, in parallel, and stops the ones with the highest rank first."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import structlog

from switchboard.supervision.child import Child, ChildSpec

_LOG_KEPT_BYTES = 20_000_000
_LOG_CHECK_SECONDS = 60.0

log = structlog.get_logger(__name__)


class Supervisor:
    """The children of one data directory; their output goes to ``log_dir/NAME.log``, and
    from there to ``NAME.log.1`` when it has grown long.

    ``on_change(child)`` is called whenever a child was started or has died.
    """

    def __init__(self, log_dir: Path, on_change: Callable[[Child], None]) -> None:
        self._log_dir = log_dir
        self._on_change = on_change
        self._ranks: dict[int, list[Child]] = {}
        self._keeping_logs_short: asyncio.Task[None] | None = None
        log_dir.mkdir(parents=True, exist_ok=True)

    @property
    def children(self) -> list[Child]:
        return [child for rank in sorted(self._ranks) for child in self._ranks[rank]]

    async def start(self, spec: ChildSpec, rank: int) -> None:
        """Start one child and wait until it is ready. Higher ranks are stopped earlier.

        Raises ``ChildFailed``.
        """
        log_path = self._log_dir / f"{spec.name}.log"
        if _is_long(log_path):
            log_path.replace(_before(log_path))
        if self._keeping_logs_short is None:
            self._keeping_logs_short = asyncio.create_task(self._keep_logs_short())
        child = Child(spec, log_path, self._on_change)
        self._ranks.setdefault(rank, []).append(child)
        await child.start()

    async def stop(self, grace_seconds: dict[int, float]) -> None:
        """Stop all, rank by rank. What still runs after ``grace_seconds[rank]`` is killed."""
        if self._keeping_logs_short is not None:
            self._keeping_logs_short.cancel()
            self._keeping_logs_short = None
        for rank in sorted(self._ranks, reverse=True):
            grace = grace_seconds[rank]
            await asyncio.gather(*(child.stop(grace) for child in self._ranks[rank]))

    async def _keep_logs_short(self) -> None:
        while True:
            await asyncio.sleep(_LOG_CHECK_SECONDS)
            for child in self.children:
                await asyncio.to_thread(_shorten, child.log_path)


def _shorten(log_path: Path) -> None:
    """Begin a log again that has grown long. Its process, which appends to it, goes on writing into
    the same file; what it writes between the copy and the cut is lost."""
    try:
        if _is_long(log_path):
            shutil.copyfile(log_path, _before(log_path))
            os.truncate(log_path, 0)
    except OSError as error:
        # On a full disk, for example.
        log.warning("log not shortened", path=str(log_path), error=str(error))


def _is_long(log_path: Path) -> bool:
    return log_path.exists() and log_path.stat().st_size > _LOG_KEPT_BYTES


def _before(log_path: Path) -> Path:
    return log_path.with_suffix(".log.1")
