"""Copies of bundles on the disk of this machine: fetched once, memory-mapped by all its processes.

A copy has the digest of its content as its name. Processes may share a folder: a copy appears
there whole, under its name, and one that is deleted stays readable where it is mapped.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    from knowledge.bundle import Bundle

MOST_BYTES = 4 * 2**30
Fetch = Callable[[], Iterable[bytes]]
"""Gives a bundle's content, in parts."""
_PART = ".part"
_ABANDONED_SECONDS = 3600.0
"""A file that is being written changes more often. Its process has died."""


class _Copy(NamedTuple):
    used_at: float
    size: int
    file: Path


class BundleCopies:
    """Can be used from several threads.

    Args:
        folder: is created when it is needed.
        most_bytes: of all copies together. Those that were not used for longest make room.
    """

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._one_at_a_time = Lock()
        self._turns: WeakValueDictionary[str, Lock] = WeakValueDictionary()

    def mapped(self, digest: str, fetch: Fetch, until: float) -> Bundle:
        """The bundle with this digest. Blocks. One thread fetches it; others that want it wait.

        Args:
            until: when to stop waiting and not to begin to fetch any more, by ``time.monotonic``.
                What has begun is fetched to its end, for those who want it next.

        Raises:
            TimeoutError: it was not there, and ``until`` has passed.
            BundleDamaged: what was fetched is not this bundle.
            OSError: the folder cannot be written.
            Exception: whatever ``fetch`` raises.
        """
        if (copy := self.opened(digest)) is not None:
            return copy
        with self._turn(digest, until):
            # Who had the turn before may have fetched it.
            if (copy := self.opened(digest)) is not None:
                return copy
            if time.monotonic() >= until:
                raise TimeoutError("no time is left to fetch it")
            return self._fetched(digest, fetch)

    def opened(self, digest: str) -> Bundle | None:
        """The bundle with this digest, if its copy is here. Waits for nobody.

        Raises:
            OSError: the folder cannot be read.
        """
        from knowledge.bundle import Bundle, BundleDamaged

        file = self._folder / digest
        # A copy is damaged if the machine went down before the disk had all of it.
        with suppress(FileNotFoundError, BundleDamaged):
            bundle = Bundle.mapped(file)
            with suppress(FileNotFoundError):  # Another process has made room meanwhile.
                os.utime(file)
            return bundle
        return None

    def has(self, digest: str) -> bool:
        """Whether there is a copy of this bundle, which may be damaged."""
        return (self._folder / digest).exists()

    @contextmanager
    def _turn(self, digest: str, until: float) -> Iterator[None]:
        with self._one_at_a_time:
            turn = self._turns.setdefault(digest, Lock())
        if not turn.acquire(timeout=max(0.0, until - time.monotonic())):
            raise TimeoutError("it is still being fetched")
        try:
            yield
        finally:
            turn.release()

    def _fetched(self, digest: str, fetch: Fetch) -> Bundle:
        from knowledge.bundle import Bundle, BundleDamaged

        self._folder.mkdir(parents=True, exist_ok=True)
        found = hashlib.sha256()
        with NamedTemporaryFile(
            dir=self._folder, prefix=f"{digest}.", suffix=_PART, delete=False
        ) as opened:
            written = Path(opened.name)
            try:
                for part in fetch():
                    found.update(part)
                    opened.write(part)
                opened.flush()
                if found.hexdigest() != digest:
                    raise BundleDamaged("its content is not what its name says")
                # Mapped before anybody can make room with it.
                bundle = Bundle.mapped(written)
                self._make_room(opened.tell())
                written.replace(self._folder / digest)
            finally:
                written.unlink(missing_ok=True)
        return bundle

    def _make_room(self, size: int) -> None:
        copies = sorted(self._listed())
        held = size + sum(copy.size for copy in copies)
        for copy in copies:
            if held <= self._most_bytes:
                return
            held -= copy.size
            copy.file.unlink(missing_ok=True)

    def _listed(self) -> Iterator[_Copy]:
        """The whole copies. Deletes what processes that died were writing."""
        for file in self._folder.iterdir():
            # Other processes rename and delete files meanwhile.
            with suppress(FileNotFoundError):
                status = file.stat()
                if file.suffix != _PART:
                    yield _Copy(status.st_mtime, status.st_size, file)
                elif status.st_mtime < time.time() - _ABANDONED_SECONDS:
                    file.unlink()
