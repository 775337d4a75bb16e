"""One owner per directory, for as long as its process lives."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


class DirectoryInUse(RuntimeError):
    """Another live process holds the directory."""


class DirectoryLock:
    """An advisory lock file. The kernel releases it when its holder ends, even by a kill."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / "lock"
        self._fd: int | None = None

    def acquire(self) -> None:
        """Take the lock; does nothing if we hold it already. Raises ``DirectoryInUse``."""
        if self._fd is not None:
            return
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            raise DirectoryInUse(str(self._path.parent)) from None
        self._fd = fd

    def release(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
