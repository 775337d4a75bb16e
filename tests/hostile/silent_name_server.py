"""A name server that does not answer, and a system that asks no other.

Names are looked up by the system's resolver, which reads its servers from a file. So the system
under attack gets a mount namespace in which that file names an address of this machine, where
somebody listens and says nothing.
"""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ADDRESS = ("127.9.9.9", 53)
_OPTIONS = "options timeout:5 attempts:2"
_REPLACE = 'mount --bind "$0" /etc/resolv.conf && exec "$@"'


@contextmanager
def silent_name_server(directory: Path) -> Iterator[Sequence[str]]:
    """What stands before the command that starts the system. Nothing, if we may not do that here:
    it takes the rights of root."""
    servers = directory / "resolv.conf"
    servers.write_text(f"nameserver {ADDRESS[0]}\n{_OPTIONS}\n")
    prefix = ("unshare", "--mount", "sh", "-c", _REPLACE, str(servers))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        yield prefix if _listens(silent) and _works(prefix) else ()


def _listens(silent: socket.socket) -> bool:
    try:
        silent.bind(ADDRESS)
    except OSError:
        return False
    return True


def _works(prefix: Sequence[str]) -> bool:
    try:
        return not subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode
    except FileNotFoundError:
        return False
