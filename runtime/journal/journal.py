"""One call's facts on disk: JSON lines, the plan first, then every event in order.

Appending returns at once. A writer thread writes all waiting events together and syncs the file
(group commit), so the event loop never waits for the disk. An event may be sent once it is durable,
which means that it is synced. After a crash the file holds the first events without a gap; an
incomplete last line is cut off when the file is opened again.
"""

from __future__ import annotations

import asyncio
import os
from array import array
from collections.abc import Callable
from concurrent.futures import Executor
from datetime import UTC, datetime
from pathlib import Path

import structlog

from contracts.call_plan import CallPlan
from contracts.events import CallEnded, CallEvent, EventBody
from runtime.journal.journal_lines import read_journal

logger = structlog.get_logger(__name__)

RETRY_SECONDS = 1.0


class Journal:
    """Made by ``create`` or ``reopen``. Call all methods on one event loop.

    ``on_durable`` is called on the loop whenever more events have become durable.
    """

    def __init__(
        self, path: Path, plan: CallPlan, worker_id: str, descriptor: int, executor: Executor
    ) -> None:
        self.path = path
        self.plan = plan
        self.durable_seq = 0
        self.last_seq = 0
        self.has_ended = False
        self.on_durable: Callable[[], None] = lambda: None
        self._worker_id = worker_id
        self._descriptor = descriptor
        self._executor = executor
        self._ends = array("Q")
        """Byte offset of the end of the plan (index 0) and of each event (index ``seq``)."""
        self._waiting: list[bytes] = []
        self._writing: asyncio.Future[None] | None = None
        self._idle = asyncio.Event()
        self._idle.set()

    @classmethod
    async def create(
        cls, path: Path, plan: CallPlan, worker_id: str, executor: Executor
    ) -> Journal:
        """Start a journal and sync its plan to disk.

        Raises:
            FileExistsError: this call already has a journal.
            OSError: the file cannot be written.
        """
        line = plan.model_dump_json().encode() + b"\n"
        loop = asyncio.get_running_loop()
        descriptor = await loop.run_in_executor(executor, _create_synced, path, line)
        journal = cls(path, plan, worker_id, descriptor, executor)
        journal._ends.append(len(line))
        return journal

    @classmethod
    async def reopen(
        cls, path: Path, worker_id: str, executor: Executor
    ) -> tuple[Journal, list[CallEvent]]:
        """Open a journal of an earlier process, and cut off an incomplete last line.

        Returns:
            The journal and those of its events that this release can read. It ships all of them.

        Raises:
            JournalUnreadable, JournalOfAnotherRelease: it holds no plan that can be read.
            OSError: the file cannot be read or written.
        """
        loop = asyncio.get_running_loop()
        content = await loop.run_in_executor(executor, path.read_bytes)
        found = read_journal(content)
        end = found.ends[-1]
        descriptor = await loop.run_in_executor(executor, _open_truncated, path, end)
        journal = cls(path, found.plan, worker_id, descriptor, executor)
        journal._ends = found.ends
        journal.durable_seq = journal.last_seq = len(found.ends) - 1
        journal.has_ended = found.has_ended
        return journal, found.events

    def append(self, body: EventBody) -> CallEvent:
        """Add one fact. It is durable a few milliseconds later.

        Raises:
            RuntimeError: the call has ended; nothing may follow ``call.ended``.
        """
        if self.has_ended:
            raise RuntimeError(f"journal of call {self.plan.call_id} has ended")
        event = CallEvent(
            call_id=self.plan.call_id,
            tenant_id=self.plan.tenant_id,
            seq=self.last_seq + 1,
            occurred_at=datetime.now(UTC),
            worker_id=self._worker_id,
            body=body,
        )
        line = event.model_dump_json().encode() + b"\n"
        self.last_seq += 1
        self.has_ended = isinstance(body, CallEnded)
        self._ends.append(self._ends[-1] + len(line))
        self._waiting.append(line)
        self._idle.clear()
        self._write_waiting()
        return event

    async def wait_durable(self) -> None:
        """Return once everything appended so far is on disk."""
        await self._idle.wait()

    async def read(self, first_seq: int, limit: int) -> list[str]:
        """Up to ``limit`` durable events from ``first_seq`` on, as JSON documents."""
        last_seq = min(self.durable_seq, first_seq + limit - 1)
        if last_seq < first_seq:
            return []
        start, end = self._ends[first_seq - 1], self._ends[last_seq]
        loop = asyncio.get_running_loop()
        content = await loop.run_in_executor(
            self._executor, os.pread, self._descriptor, end - start, start
        )
        return content.decode().split("\n")[:-1]

    async def aclose(self) -> None:
        """Finish writing and close the file. The file stays on disk."""
        await self._idle.wait()
        os.close(self._descriptor)

    async def delete(self) -> None:
        """Close and remove the file, because every fact in it has been applied."""
        await self.aclose()
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._executor, _unlink_if_there, self.path)

    def _write_waiting(self) -> None:
        if self._writing is not None or not self._waiting:
            return
        lines, self._waiting = self._waiting, []
        self._writing = asyncio.get_running_loop().run_in_executor(
            self._executor,
            _write_synced,
            self._descriptor,
            b"".join(lines),
            self._ends[self.durable_seq],
        )
        self._writing.add_done_callback(lambda done: self._written(done, lines))

    def _written(self, done: asyncio.Future[None], lines: list[bytes]) -> None:
        self._writing = None
        error = done.exception()
        if error is not None:
            # Lines have fixed offsets, so the next try overwrites what this one wrote in part.
            logger.error("journal.write_failed", call_id=str(self.plan.call_id), error=str(error))
            self._waiting[:0] = lines
            asyncio.get_running_loop().call_later(RETRY_SECONDS, self._write_waiting)
            return
        self.durable_seq += len(lines)
        if self._waiting:
            self._write_waiting()
        else:
            self._idle.set()
        self.on_durable()


def _create_synced(path: Path, line: bytes) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        _write_synced(descriptor, line, 0)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError:
        # The call comes again. With this file it would be taken for one that runs here.
        os.close(descriptor)
        path.unlink(missing_ok=True)
        raise
    return descriptor


def _open_truncated(path: Path, length: int) -> int:
    descriptor = os.open(path, os.O_RDWR)
    os.ftruncate(descriptor, length)
    return descriptor


def _write_synced(descriptor: int, content: bytes, offset: int) -> None:
    written = 0
    while written < len(content):
        written += os.pwrite(descriptor, content[written:], offset + written)
    os.fsync(descriptor)


def _unlink_if_there(path: Path) -> None:
    path.unlink(missing_ok=True)
