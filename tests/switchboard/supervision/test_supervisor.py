"""The logs of children that run for long."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from switchboard.services.command import Command
from switchboard.supervision import supervisor as supervising
from switchboard.supervision.child import ChildSpec
from switchboard.supervision.supervisor import Supervisor

COUNTING = """
import itertools, time
for number in itertools.count():
    print(number, flush=True)
    time.sleep(0.001)
"""


async def _at_once(_pid: int) -> bool:
    return True


async def test_the_log_of_a_child_that_runs_on_is_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervising, "_LOG_KEPT_BYTES", 1_000)
    monkeypatch.setattr(supervising, "_LOG_CHECK_SECONDS", 0.05)
    command = Command("program", (sys.executable, "-c", COUNTING), cwd=tmp_path)
    supervisor = Supervisor(tmp_path / "logs", lambda _child: None)
    await supervisor.start(ChildSpec("program", lambda: command, _at_once), rank=0)
    log, before = tmp_path / "logs" / "program.log", tmp_path / "logs" / "program.log.1"
    async with asyncio.timeout(20):
        while (numbers := log.read_text().split())[:1] in ([], ["0"]):  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.01)
    [child] = supervisor.children
    assert child.restarts.starts == 1
    await supervisor.stop({0: 5.0})
    assert [int(each) for each in numbers], "it appends: no gap of zeros is before them"
    assert before.exists()
