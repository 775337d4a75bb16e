"""Directories for a server that may not run as root.

PostgreSQL refuses to run as root. If we are root, we run it as the user that owns its data, or as
``nobody``. That user must be able to reach its binaries and data, which a clone under ``/root``
does not allow.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from switchboard.services.command import Account

SYSTEM_DIRECTORIES = (Path("/var/lib/switchboard"), Path("/tmp/switchboard"))
_FALLBACK_ID = 65534
_EVERYBODY_ENTERS = 0o755
"""Set explicitly, because our own files are for ourselves only (``umask``)."""


class NoReachableDirectory(RuntimeError):
    """No directory was found that the unprivileged user can enter."""


def unprivileged_account(data: Path) -> Account | None:
    """The user to run a server on ``data`` as; ``None`` when we are not root."""
    if os.geteuid() != 0:
        return None
    if data.exists() and data.stat().st_uid != 0:
        owner = data.stat()
        return Account(owner.st_uid, owner.st_gid)
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        return Account(_FALLBACK_ID, _FALLBACK_ID)
    return Account(nobody.pw_uid, nobody.pw_gid)


def can_enter(path: Path, account: Account | None) -> bool:
    """Whether ``account`` may execute (a file) or traverse (a directory) ``path``.

    Asks the kernel instead of reading mode bits, because it knows about access lists and mounts.
    """
    if account is None:
        return os.access(path, os.X_OK)
    probe = subprocess.run(
        ["test", "-x", str(path)],
        user=account.uid,
        group=account.gid,
        extra_groups=[],
        cwd="/",
        check=False,
    )
    return probe.returncode == 0


def data_directory(
    wanted: Path, account: Account | None, bases: Sequence[Path] = SYSTEM_DIRECTORIES
) -> Path:
    """``wanted`` when ``account`` can reach it, otherwise a directory elsewhere that belongs to it.

    ``{wanted}.location`` holds the path of the other directory, so that it is found again after
    the project has been moved. The directory exists on return, with mode 700 and owned by
    ``account``. Raises ``NoReachableDirectory``.
    """
    if account is None:
        wanted.mkdir(parents=True, exist_ok=True, mode=0o700)
        return wanted
    note = wanted.with_name(wanted.name + ".location")
    wanted.parent.mkdir(parents=True, exist_ok=True)
    if can_enter(wanted.parent, account):
        return _owned(wanted, account)
    if note.exists() and (noted := Path(note.read_text().strip())).is_dir():
        return noted
    digest = hashlib.sha256(str(wanted.resolve()).encode()).hexdigest()[:12]
    directory = _owned(system_directory(account, bases) / f"{wanted.name}-{digest}", account)
    note.write_text(f"{directory}\n")
    return directory


def system_directory(account: Account, bases: Sequence[Path] = SYSTEM_DIRECTORIES) -> Path:
    """The first of ``bases`` that root can create and ``account`` can enter.

    A directory that another user created is not trusted, because anyone may write to /tmp. Raises
    ``NoReachableDirectory``.
    """
    for base in bases:
        try:
            if not base.exists():
                base.mkdir(parents=True, exist_ok=True)
                base.chmod(_EVERYBODY_ENTERS)
        except OSError:
            continue
        status = base.lstat()
        if status.st_uid == os.geteuid() and not base.is_symlink() and can_enter(base, account):
            return base
    tried = ", ".join(str(base) for base in bases)
    raise NoReachableDirectory(f"user {account.uid} can enter none of {tried}")


def reachable_copy(
    source: Path,
    parts: Sequence[str],
    probe: str,
    account: Account | None,
    bases: Sequence[Path] = SYSTEM_DIRECTORIES,
) -> Path:
    """``source`` itself when ``account`` can execute ``source/probe``, otherwise a copy of it.

    ``parts`` are the folders below ``source`` that are needed. The copy appears whole or not at
    all. All projects with the same version (size and time of ``source/probe``) share one copy.
    """
    if can_enter(source / probe, account) or account is None:
        return source
    status = (source / probe).stat()
    identity = f"{probe}:{status.st_size}:{int(status.st_mtime)}"
    digest = hashlib.sha256(identity.encode()).hexdigest()[:12]
    base = system_directory(account, bases)
    copy = base / f"binaries-{digest}"
    if not copy.is_dir():
        staging = Path(tempfile.mkdtemp(dir=base, prefix="copying-"))
        for part in parts:
            shutil.copytree(source / part, staging / part, symlinks=True)
        for entered in {folder for part in parts for folder in Path(part).parents}:
            (staging / entered).chmod(_EVERYBODY_ENTERS)
        try:
            staging.rename(copy)
        except OSError:
            # Another `up` made the copy first.
            shutil.rmtree(staging)
    return copy


def _owned(directory: Path, account: Account) -> Path:
    if not directory.exists():
        directory.mkdir(mode=0o700)
        os.chown(directory, account.uid, account.gid)
    return directory
