"""The folder of ``.eml`` files that replaces a mail server."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from uuid import uuid4

FILES = "*.eml"
"""Which files of the folder are mails. One that is being written has another name."""


def write_to_folder(folder: Path, message: bytes, now: datetime) -> Path:
    """Write a file that only this user may read, because mails contain tokens. Blocks.

    The file appears only when it is complete, and the names sort by time.

    Raises:
        OSError: the folder cannot be made or written.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = f"{now:%Y%m%dT%H%M%S.%f}-{uuid4().hex}"
    unfinished = folder / f".{name}.part"
    try:
        with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(message)
        return unfinished.rename(folder / f"{name}.eml")
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
