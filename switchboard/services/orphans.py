"""Servers left running by a supervisor that was killed.

A process counts as ours only by its command line: it names a path inside our own data directory.
A process id alone proves nothing, since ids are used again.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import psutil


def orphan(pid: int, program: str, argument: str) -> psutil.Process | None:
    """The process ``pid`` if it runs ``program`` with ``argument`` in its command line."""
    try:
        process = psutil.Process(pid)
        words = process.cmdline()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return None
    line = " ".join(words)
    if words and program in line and argument in line:
        return process
    return None


def end(process: psutil.Process, how: signal.Signals, grace_seconds: float) -> None:
    """Signal the process, wait, and kill it when it does not go."""
    try:
        process.send_signal(how)
        try:
            process.wait(grace_seconds)
        except psutil.TimeoutExpired:
            process.kill()
            process.wait(grace_seconds)
    except psutil.NoSuchProcess:
        return


def read_pid(path: Path) -> int | None:
    """The number on the first line of a pid file; ``None`` without a usable one."""
    try:
        first = path.read_text().split("\n", 1)[0].strip()
    except FileNotFoundError:
        return None
    return int(first) if first.isdigit() and int(first) != os.getpid() else None
