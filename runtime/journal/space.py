"""Keeps a worker from taking calls whose facts its disk may not hold.

A fact is never dropped: while the control plane applies nothing, journals grow. Past a limit the
worker goes on with the calls that it has and takes no new ones. So it does while the disk refuses
journals, because it was mounted read-only after a fault, for example.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

import structlog

from runtime.slots import Slots

logger = structlog.get_logger(__name__)

LOOK_SECONDS = 2.0
LEAST_FREE_BYTES = 64 * 1024 * 1024
"""Of the disk, whatever the journals' limit is."""
PROBE = "probe"
"""The file by whose writing a disk that has refused a journal is tried."""


class JournalSpace:
    """Closes ``slots`` while the journals in ``folder`` exceed their limit or cannot be written."""

    def __init__(self, folder: Path, limit_bytes: int, slots: Slots) -> None:
        self._folder = folder
        self._limit_bytes = limit_bytes
        self._slots = slots
        self.used_bytes = 0
        self.is_full = False
        self.times_full = 0
        """Since the start of this process."""
        self._is_refused = False
        """Whether the disk took no journal, or could not be read, when that was last tried."""

    async def run(self) -> None:
        """Look again and again until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_SECONDS)

    def refused(self, error: OSError) -> None:
        """A journal could not be written. From now on the worker takes no new calls, until a look
        finds that it can."""
        if not self._is_refused:
            logger.error("journals.refused", error=str(error))
        self._is_refused = self.is_full = True
        self._slots.close("journals_full")

    async def look(self) -> None:
        has_refused = self._is_refused
        try:
            self.used_bytes, free_bytes = await asyncio.to_thread(_sizes, self._folder)
            if has_refused:
                await asyncio.to_thread(_write, self._folder / PROBE)
        except OSError as error:
            self.refused(error)
            return
        if self._is_refused and not has_refused:
            return  # Meanwhile: the next look tries it.
        self._is_refused = False
        is_full = self.used_bytes >= self._limit_bytes or free_bytes < LEAST_FREE_BYTES
        if is_full and not self.is_full:
            self.times_full += 1
            logger.error(
                "journals.full",
                used_bytes=self.used_bytes,
                limit_bytes=self._limit_bytes,
                free_bytes=free_bytes,
                count=self.times_full,
            )
            self._slots.close("journals_full")
        elif self.is_full and not is_full:
            logger.info("journals.have_room", used_bytes=self.used_bytes)
            self._slots.open("journals_full")
        self.is_full = is_full


def _sizes(folder: Path) -> tuple[int, int]:
    """The bytes that the journals have, and those that the disk has free."""
    used = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                used += entry.stat().st_size
            except FileNotFoundError:
                continue  # It was settled meanwhile.
    return used, shutil.disk_usage(folder).free


def _write(path: Path) -> None:
    """Write and remove a file, as durably as a journal is written."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, b"\n")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
        path.unlink()
