"""Servers left running by a supervisor that was killed.

A process is ours only if its command line names a path inside our own data directory. A process
id alone proves nothing, because ids are used again.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import psutil


class OrphanSurvived(RuntimeError):
    """A process of ours could not be ended."""


def orphan(pid: int, program: str, argument: str) -> psutil.Process | None:
    """The process ``pid`` if it runs ``program`` with ``argument`` as a word of its command line.

    A server that sets its own title has one word as its command line, which ends with
    ``argument``.
    """
    try:
        process = psutil.Process(pid)
        words = process.cmdline()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return None
    line = " ".join(words).rstrip()
    ours = argument in words or line.endswith(f" {argument}")
    return process if ours and program in line else None


def end(process: psutil.Process, how: signal.Signals, grace_seconds: float) -> None:
    """Send ``how`` to the process, wait, then kill it. Raises ``OrphanSurvived``."""
    try:
        process.send_signal(how)
        try:
            process.wait(grace_seconds)
        except psutil.TimeoutExpired:
            process.kill()
            process.wait(grace_seconds)
    except psutil.NoSuchProcess:
        return
    except psutil.Error as error:
        raise OrphanSurvived(f"cannot end process {process.pid}: {error}") from error


def read_pid(path: Path) -> int | None:
    """The number on the first line of a pid file; ``None`` if there is none, or it is our own."""
    try:
        first = path.read_text().split("\n", 1)[0].strip()
    except FileNotFoundError:
        return None
    return int(first) if first.isdigit() and int(first) != os.getpid() else None
