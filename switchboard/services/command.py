"""The description of a child process: what to run, as which user, and how to stop it."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


@dataclass(frozen=True)
class Account:
    """A POSIX user and group, by number: neither needs an entry in the password database."""

    uid: int
    gid: int


_OF_THE_SYSTEM = re.compile(
    r"PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|LD_LIBRARY_PATH|DYLD_\w+"
)


def is_of_the_system(variable: str) -> bool:
    """Whether a program of somebody else needs the environment variable to run."""
    return _OF_THE_SYSTEM.fullmatch(variable) is not None


@dataclass(frozen=True)
class Command:
    """One child process.

    Of our own environment it gets the variables that ``inherits`` lets pass. ``account`` is
    ``None`` for our own user. ``inherited_fds`` stay open in the child. On Linux the kernel sends
    ``parent_death_signal`` when the thread that started the child ends, so start children from a
    thread that lives as long as they should.
    """

    name: str
    argv: tuple[str, ...]
    cwd: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    inherits: Callable[[str], bool] = is_of_the_system
    account: Account | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    parent_death_signal: signal.Signals | None = None
    inherited_fds: tuple[int, ...] = ()

    def popen_options(self) -> dict[str, Any]:
        """Keyword arguments for ``subprocess.Popen`` and ``asyncio.create_subprocess_exec``.

        The child leads its own process group: Ctrl-C in a terminal reaches the supervisor only,
        which then stops its children in order.
        """
        inherited = {name: text for name, text in os.environ.items() if self.inherits(name)}
        options: dict[str, Any] = {
            "cwd": self.cwd,
            "env": {**inherited, **self.environment},
            "stdin": subprocess.DEVNULL,
            "process_group": 0,
            "pass_fds": self.inherited_fds,
        }
        if self.account is not None:
            options |= {"user": self.account.uid, "group": self.account.gid, "extra_groups": []}
        if self.parent_death_signal is not None and _LIBC is not None:
            # A preexec_fn runs after the change of user, which resets this setting.
            options["preexec_fn"] = _die_with_parent(self.parent_death_signal)
        return options


def spawn(command: Command, log: BinaryIO) -> subprocess.Popen[bytes]:
    """Start ``command`` with both outputs going to ``log``."""
    return subprocess.Popen(
        command.argv, stdout=log, stderr=subprocess.STDOUT, **command.popen_options()
    )


def stop(process: subprocess.Popen[bytes], how: signal.Signals, grace_seconds: float) -> None:
    """Send ``how`` to ``process``, wait ``grace_seconds`` for its end, then kill it."""
    if process.poll() is None:
        process.send_signal(how)
        try:
            process.wait(grace_seconds)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()


def _die_with_parent(death_signal: signal.Signals) -> Callable[[], None]:
    parent = os.getpid()

    def before_exec() -> None:
        assert _LIBC is not None
        _LIBC.prctl(_PR_SET_PDEATHSIG, int(death_signal))
        if os.getppid() != parent:
            os._exit(1)

    return before_exec
