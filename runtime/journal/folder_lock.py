"""Which process uses a worker's folder. The lock ends with its process, however that ends."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

NAME = "worker.lock"


class JournalsInUse(RuntimeError):
    """Another running worker uses this data directory."""


class FolderLock:
    """Taking it raises ``JournalsInUse`` if another process has it, and ``FileNotFoundError`` if
    the folder is not there."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not self._is_there():
                raise BlockingIOError
        except BlockingIOError as error:
            os.close(self._descriptor)
            raise JournalsInUse(f"another worker is running in {folder}") from error

    def _is_there(self) -> bool:
        """Whether the locked file was not removed while we waited for it."""
        try:
            return os.path.samestat(os.fstat(self._descriptor), self._path.stat())
        except FileNotFoundError:
            return False

    def remove(self) -> None:
        """Remove the file, so that the folder can be removed."""
        self._path.unlink()

    def close(self) -> None:
        os.close(self._descriptor)
