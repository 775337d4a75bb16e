"""The folder of one worker's journals, with those of an earlier process that died."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import structlog

from contracts.call_plan import CallPlan
from contracts.events import CallEvent
from runtime.journal.folder_lock import FolderLock
from runtime.journal.inheritance import JOURNALS, take_over
from runtime.journal.journal import Journal
from runtime.journal.journal_lines import JournalOfAnotherRelease, JournalUnreadable

logger = structlog.get_logger(__name__)

WRITERS = 2
"""Threads that write and sync. One slow sync must not hold up every call."""


class JournalStore:
    """Opening it raises ``JournalsInUse`` if a running worker uses the directory."""

    def __init__(self, data_dir: Path, worker_id: str) -> None:
        self._data_dir = data_dir
        self.folder = data_dir / JOURNALS
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._worker_id = worker_id
        self._lock = FolderLock(data_dir)
        self._executor = ThreadPoolExecutor(WRITERS, thread_name_prefix="journal")

    async def create(self, plan: CallPlan) -> Journal:
        """A new call's journal. Raises ``FileExistsError`` if the call already has one here."""
        path = self.folder / f"{plan.call_id}.jsonl"
        return await Journal.create(path, plan, self._worker_id, self._executor)

    async def take_over_from_the_dead(self, workers_dir: Path) -> None:
        """Get the journals of workers that died in other folders of ``workers_dir``."""
        try:
            await asyncio.to_thread(take_over, workers_dir, self._data_dir)
        except OSError as error:
            logger.error("journal.not_taken_over", error=str(error))

    async def left_behind(self) -> AsyncIterator[tuple[Journal, list[CallEvent]]]:
        """Journals that an earlier process left, with those events in each that can be read.

        A journal of another release stays for a worker of that release, and one that the disk does
        not give for the next start. A file that is not a journal is renamed to ``….unreadable``, so
        that somebody can look at it.
        """
        paths = await asyncio.to_thread(lambda: sorted(self.folder.glob("*.jsonl")))
        for path in paths:
            try:
                found = await Journal.reopen(path, self._worker_id, self._executor)
            except OSError as error:
                logger.error("journal.not_read", call_id=path.stem, error=str(error))
            except JournalOfAnotherRelease as error:
                logger.error(
                    "journal.of_another_release",
                    call_id=path.stem,
                    path=str(path),
                    fault=str(error),
                )
            except JournalUnreadable as error:
                logger.error("journal.unreadable", path=str(path), error=str(error))
                await asyncio.to_thread(path.rename, path.with_suffix(".unreadable"))
            else:
                yield found

    def close(self) -> None:
        """Allow the next worker to start here. Journals must be closed or idle."""
        self._executor.shutdown(wait=True)
        self._lock.close()
