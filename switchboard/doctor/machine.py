"""The machine itself: Python, clock, data directory, user."""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path

from switchboard.doctor.finding import Finding, fail, ok, warn
from switchboard.services.reachable import (
    NoReachableDirectory,
    can_enter,
    system_directory,
    unprivileged_account,
)

_OLDEST_PYTHON = (3, 11)
_BUILT_AFTER_UNIX_SECONDS = 1_760_000_000
"""A clock that shows a time before this software existed is not set."""
_CLOCK_SAMPLE_SECONDS = 0.05
_LEAST_FREE_BYTES = 1_000_000_000


def python() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info < _OLDEST_PYTHON:
        return fail("Python", version, "Install Python 3.11 or newer, then run `make clean demo`.")
    return ok("Python", version)


def clock() -> Finding:
    """Durations come from the monotonic clock; times of day and the expiry of tokens do not."""
    wall, monotonic = time.time(), time.monotonic()
    time.sleep(_CLOCK_SAMPLE_SECONDS)
    drift = abs((time.time() - wall) - (time.monotonic() - monotonic))
    if wall < _BUILT_AFTER_UNIX_SECONDS:
        shown = time.strftime("%Y-%m-%d %H:%M", time.gmtime(wall))
        return fail("Clock", f"shows {shown} UTC", "Set the clock, for example with NTP.")
    if drift > _CLOCK_SAMPLE_SECONDS / 2:
        return warn(
            "Clock",
            f"jumped by {drift:.2f} s during the check",
            "Times of calls may be wrong until the clock is steady.",
        )
    return ok("Clock", time.strftime("%Y-%m-%d %H:%M UTC, steady", time.gmtime(wall)))


def data_directory(data_dir: Path) -> Finding:
    existing = data_dir.absolute()
    while not existing.exists():
        existing = existing.parent
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        return fail(
            "Data directory",
            f"{existing} cannot be written to",
            "Choose another with --data-dir, or change its owner.",
        )
    free_bytes = shutil.disk_usage(existing).free
    if free_bytes < _LEAST_FREE_BYTES:
        return warn(
            "Data directory",
            f"{data_dir}: {free_bytes / 1e6:.0f} MB free",
            "Make room: databases and recordings grow with every call.",
        )
    return ok("Data directory", f"{data_dir} ({free_bytes / 1e9:.0f} GB free)")


def privileges(data_dir: Path) -> Finding:
    """PostgreSQL refuses to run as root. It then runs as another user, who must reach its files."""
    account = unprivileged_account(data_dir / "postgres")
    if account is None:
        return ok("User", f"ordinary user {os.geteuid()}")
    existing = data_dir.absolute()
    while not existing.exists():
        existing = existing.parent
    if can_enter(existing, account):
        return ok("User", f"root; PostgreSQL runs as user {account.uid}")
    try:
        place = system_directory(account)
    except NoReachableDirectory as problem:
        return fail(
            "User", f"root, and {problem}", "Choose a --data-dir that other users may enter."
        )
    return ok(
        "User",
        f"root; PostgreSQL runs as user {account.uid}, who cannot enter {existing}. Its files are"
        f" in {place}",
    )
