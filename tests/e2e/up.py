"""``switchboard up`` in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from switchboard.services.ports import free_port
from switchboard.state import State, read_state

START_SECONDS = 120
_LONGEST_STOP_SECONDS = 15


class Up:
    """One ``switchboard up`` on ``data_dir``, with its output in a file.

    ``checkout`` is another one than this, with a ``.venv`` of its own. ``prefix`` is a command that
    becomes the one behind it.
    """

    def __init__(
        self,
        data_dir: Path,
        port: int | None = None,
        environment: Mapping[str, str] | None = None,
        checkout: Path | None = None,
        prefix: Sequence[str] = (),
    ) -> None:
        self.data_dir = data_dir
        data_dir.mkdir(parents=True, exist_ok=True)
        self.output_path = data_dir.parent / f"up-{time.monotonic_ns()}.txt"
        arguments = ["--data-dir", str(data_dir), "--port", str(port or free_port())]
        python = sys.executable if checkout is None else str(checkout / ".venv/bin/python")
        with self.output_path.open("wb") as output:
            self.process = subprocess.Popen(
                [*prefix, python, "-m", "switchboard", "up", *arguments],
                stdout=output,
                stderr=output,
                cwd=checkout,
                env={**os.environ, "COLUMNS": "400", **(environment or {})},
            )

    @property
    def output(self) -> str:
        return self.output_path.read_text()

    @property
    def state(self) -> State:
        state = read_state(self.data_dir)
        assert state is not None
        return state

    def wait_until_started(self) -> Up:
        wait_until_started(self.output_path, lambda: self.process.poll() is None)
        return self

    def ends(self, how: signal.Signals, within_seconds: float) -> int:
        """Signal it and return its exit code; fails when it takes too long."""
        self.process.send_signal(how)
        return self.process.wait(timeout=within_seconds)

    def end(self) -> None:
        """However long it takes; nothing happens if it has ended."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(_LONGEST_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()


def wait_until_started(output_path: Path, is_running: Callable[[], bool] = lambda: True) -> None:
    """Waits until ``up`` says that everything is ready; fails with its output if it ends before."""
    until(lambda: "Switchboard runs at" in output_path.read_text() or not is_running())
    assert is_running(), f"switchboard up did not start:\n{output_path.read_text()}"


def until(condition: Callable[[], bool], seconds: float = START_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.02)
