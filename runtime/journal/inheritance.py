"""Taking over the journals of workers that died on the same disk, whatever their ids were."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from pathlib import Path

import structlog

from runtime.journal.folder_lock import NAME, FolderLock, JournalsInUse

JOURNALS = "journal"
INSTANCE = "instance"

logger = structlog.get_logger(__name__)


def take_over(workers_dir: Path, heir: Path) -> int:
    """Move the journals of every dead worker below ``workers_dir`` to the folder ``heir``, which
    belongs to the calling worker. Folders of workers that run are left alone, and so are those that
    cannot be read or moved, such as another user's.

    A crash in between loses nothing: each journal is in one of the two folders.

    Returns:
        How many journals were moved.

    Raises:
        OSError: ``workers_dir`` cannot be read.
    """
    moved = 0
    for folder in sorted(workers_dir.iterdir()):
        if folder == heir:
            continue
        try:
            moved += _inherited(folder, heir)
        except OSError as error:
            logger.error("journal.not_taken_over", predecessor=folder.name, error=str(error))
    return moved


def _inherited(folder: Path, heir: Path) -> int:
    if not (folder / NAME).exists():
        return 0
    try:
        lock = FolderLock(folder)
    except (JournalsInUse, FileNotFoundError):
        return 0
    with closing(lock):
        moved = _move(folder / JOURNALS, heir / JOURNALS)
        _remove(folder, lock)
    if moved:
        logger.warning("journal.taken_over", predecessor=folder.name, journals=moved)
    return moved


def _move(source: Path, target: Path) -> int:
    moved = 0
    for path in sorted(source.iterdir()) if source.is_dir() else ():
        # The other one may have events: this one waits until that is settled.
        if (target / path.name).exists():
            continue
        path.rename(target / path.name)
        moved += 1
    if moved:
        _sync(target)
        _sync(source)
    return moved


def _remove(folder: Path, lock: FolderLock) -> None:
    """Remove what a dead worker left, unless there still is a journal in it."""
    if (folder / JOURNALS).is_dir():
        with suppress(OSError):
            (folder / JOURNALS).rmdir()
    if (folder / JOURNALS).exists():
        return
    (folder / INSTANCE).unlink(missing_ok=True)
    lock.remove()
    with suppress(OSError):
        folder.rmdir()


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
