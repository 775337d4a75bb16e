"""Children that are small Python programs."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil
import pytest

from switchboard.services.command import Command
from switchboard.supervision.child import Child, ChildFailed, ChildSpec

STUBBORN = (
    "import signal, pathlib, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    "pathlib.Path('deaf').touch(); time.sleep(60)"
)


async def _at_once(_pid: int) -> bool:
    return True


@pytest.fixture
def child(tmp_path: Path) -> Callable[..., Child]:
    def make(program: str, ready: Callable[..., object] = _at_once, timeout: float = 20) -> Child:
        command = Command("program", (sys.executable, "-c", program), cwd=tmp_path)
        spec = ChildSpec("program", lambda: command, ready, timeout)  # type: ignore[arg-type]
        return Child(spec, tmp_path / "program.log", lambda _child: None)

    return make


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - another process's state
            await asyncio.sleep(0.01)


class TestChild:
    async def test_a_killed_process_returns_by_itself(self, child: Callable[..., Child]) -> None:
        sleeper = child("import time; time.sleep(60)")
        await sleeper.start()
        first = sleeper.pid
        assert first is not None
        psutil.Process(first).kill()
        await _until(lambda: sleeper.pid not in (None, first))
        assert sleeper.restarts.starts == 2
        await sleeper.stop(grace_seconds=5)

    async def test_it_returns_even_if_nobody_can_be_told(self, tmp_path: Path) -> None:
        """The disk is full, for example, and the state file cannot be written."""

        def fail(_child: Child) -> None:
            raise OSError("no space left on device")

        command = Command(
            "program", (sys.executable, "-c", "import time; time.sleep(60)"), tmp_path
        )
        spec = ChildSpec("program", lambda: command, _at_once)
        sleeper = Child(spec, tmp_path / "program.log", fail)
        await sleeper.start()
        first = sleeper.pid
        assert first is not None
        psutil.Process(first).kill()
        await _until(lambda: sleeper.pid not in (None, first))
        await sleeper.stop(grace_seconds=5)

    async def test_stop_leaves_no_process(self, child: Callable[..., Child]) -> None:
        sleeper = child("import time; time.sleep(60)")
        await sleeper.start()
        pid = sleeper.pid
        await sleeper.stop(grace_seconds=5)
        assert sleeper.pid is None
        assert pid is not None
        assert not psutil.pid_exists(pid)

    async def test_a_process_that_ignores_its_signal_is_killed(
        self, child: Callable[..., Child], tmp_path: Path
    ) -> None:
        async def deaf(_pid: int) -> bool:
            return (tmp_path / "deaf").exists()

        stubborn = child(STUBBORN, deaf)
        await stubborn.start()
        pid = stubborn.pid
        await stubborn.stop(grace_seconds=0.1)
        assert pid is not None
        assert not psutil.pid_exists(pid)

    async def test_one_that_ends_just_when_its_grace_is_over_is_not_killed(
        self, child: Callable[..., Child], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """asyncio's process cannot be killed any more then: it raises ``ProcessLookupError``."""
        sleeper = child("import time; time.sleep(60)")
        await sleeper.start()

        async def too_late(ending: Awaitable[int], _grace_seconds: float) -> None:
            await ending
            raise TimeoutError

        monkeypatch.setattr("switchboard.supervision.child.asyncio.wait_for", too_late)
        await sleeper.stop(grace_seconds=5)
        assert sleeper.pid is None

    async def test_one_that_cannot_start_says_why(self, child: Callable[..., Child]) -> None:
        async def never(_pid: int) -> bool:
            return False

        broken = child("raise SystemExit('no such model')", never)
        with pytest.raises(ChildFailed, match="no such model"):
            await broken.start()

    async def test_one_that_is_never_ready_is_given_up(self, child: Callable[..., Child]) -> None:
        async def never(_pid: int) -> bool:
            return False

        slow = child("import time; time.sleep(60)", never, timeout=0.3)
        with pytest.raises(ChildFailed, match="not ready within"):
            await slow.start()
        await slow.stop(grace_seconds=5)
        assert slow.pid is None
