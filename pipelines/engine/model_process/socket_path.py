"""Where the model process of an installation listens."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from pathlib import Path

LONGEST_PATH_BYTES = 107
"""``sockaddr_un`` has 108 bytes on Linux, the last of which is zero."""
_NAME = "models.sock"


class SocketRefused(RuntimeError):
    """No socket can be opened at a path, or none that is ours alone."""


def models_socket(data_dir: Path) -> Path:
    """In the data directory, or in the directory for temporary files if that path is too long."""
    inside = data_dir.absolute() / "models" / _NAME
    if _fits(inside):
        return inside
    installation = hashlib.sha256(os.fsencode(data_dir.absolute())).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"switchboard-{os.geteuid()}-{installation}" / _NAME


def check_length(socket_path: Path) -> None:
    """Raises ``SocketRefused`` for a path that the system would not take."""
    if not _fits(socket_path):
        raise SocketRefused(
            f"the path of the model process's socket is longer than {LONGEST_PATH_BYTES} bytes: "
            f"{socket_path}"
        )


def prepare_folder(socket_path: Path) -> None:
    """Make the socket's own folder, for our user alone. Raises ``SocketRefused``."""
    check_length(socket_path)
    folder = socket_path.parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise SocketRefused(f"{folder} is not a folder of this user")
    folder.chmod(0o700)


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) <= LONGEST_PATH_BYTES
