"""``switchboard jobs`` with real processes. They need neither PostgreSQL nor Redis to begin."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from control_plane.platform.job_roles import PLATFORM_ROLES, TENANTS_ROLES

pytestmark = pytest.mark.timeout(60)
NOBODY = "127.0.0.1:1"
ENVIRONMENT = {
    "SWITCHBOARD_APP_DATABASE_URL": f"postgresql://app@{NOBODY}/none",
    "SWITCHBOARD_SYSTEM_DATABASE_URL": f"postgresql://system@{NOBODY}/none",
    "SWITCHBOARD_REDIS_URL": f"redis://{NOBODY}/0",
    "SWITCHBOARD_SECRET_KEY": "a-secret-of-at-least-thirty-two-bytes",
    "SWITCHBOARD_LOG_FORMAT": "json",
}


class Jobs:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.started: list[frozenset[str]] = []
        """The roles of each process that has started."""

    def read_until(self, seen: Callable[[], bool]) -> None:
        assert self.process.stderr is not None
        while not seen():
            line = self.process.stderr.readline()
            assert line, "it ended"
            logged: dict[str, Any] = json.loads(line) if line.startswith("{") else {}
            if logged.get("event") == "jobs_started":
                self.started.append(frozenset(logged["roles"]))


@contextmanager
def running(data_dir: Path) -> Iterator[Jobs]:
    process = subprocess.Popen(
        [sys.executable, "-m", "switchboard", "jobs", "--data-dir", str(data_dir)],
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | ENVIRONMENT,
    )
    try:
        jobs = Jobs(process)
        jobs.read_until(lambda: len(jobs.started) == 2)
        yield jobs
    finally:
        process.kill()
        process.communicate()


def test_events_are_applied_in_a_process_without_tenants_work(tmp_path: Path) -> None:
    with running(tmp_path) as jobs:
        assert set(jobs.started) == {PLATFORM_ROLES, TENANTS_ROLES}
        processes = psutil.Process(jobs.process.pid).children()
        assert len(processes) == 2
        os.kill(processes[1].pid, signal.SIGKILL)
        jobs.read_until(lambda: len(jobs.started) == 3)
        assert processes[0].is_running(), "the other one goes on"
        jobs.process.send_signal(signal.SIGTERM)
        # Nobody may wait for a full pipe.
        jobs.process.communicate(timeout=30)
        assert jobs.process.returncode == 0
