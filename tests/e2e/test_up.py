"""``switchboard up`` with real processes: killed, crowded, and stopped."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from switchboard.services.ports import LOOPBACK, free_port
from switchboard.state import State, read_secrets, read_state
from tests.short_directory import short_directory

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

START_SECONDS = 60
STOP_SECONDS = 3.0
PROCESSES = ("postgres", "valkey", "api", "jobs", "worker-1", "bridge")


class Up:
    """One ``switchboard up`` on ``data_dir``, with its output in a file."""

    def __init__(self, data_dir: Path, port: int | None = None) -> None:
        self.data_dir = data_dir
        data_dir.mkdir(parents=True, exist_ok=True)
        self._output = data_dir.parent / f"up-{time.monotonic_ns()}.txt"
        arguments = ["--data-dir", str(data_dir), "--port", str(port or free_port())]
        with self._output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "switchboard", "up", *arguments],
                stdout=output,
                stderr=output,
                env={**os.environ, "COLUMNS": "400"},
            )

    @property
    def output(self) -> str:
        return self._output.read_text()

    @property
    def state(self) -> State:
        state = read_state(self.data_dir)
        assert state is not None
        return state

    def wait_until_started(self) -> Up:
        until(lambda: "Switchboard runs at" in self.output or self.process.poll() is not None)
        assert self.process.poll() is None, self.output
        return self

    def ends(self, how: signal.Signals, within_seconds: float) -> int:
        """Signal it and return its exit code; fails when it takes too long."""
        self.process.send_signal(how)
        return self.process.wait(timeout=within_seconds)

    def create_tenant(self) -> str:
        """Through the API; returns its secret key."""
        secrets = read_secrets(self.data_dir)
        assert secrets is not None
        body = {"name": "Kept", "owner_email": "owner@example.com"}
        answer = self._ask("/v1/operator/tenants", secrets.operator_token, json.dumps(body))
        return str(answer["api_key"])

    def balance(self, key: str) -> object:
        return self._ask("/v1/billing/balance", key)

    def _ask(self, path: str, bearer: str, body: str | None = None) -> dict[str, object]:
        request = urllib.request.Request(
            self.state.api_url + path,
            data=None if body is None else body.encode(),
            headers={"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            decoded: dict[str, object] = json.load(answer)
        return decoded

    def is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.state.api_url}/readyz", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False


@pytest.fixture(scope="module")
def warm_data_dir() -> Iterator[Path]:
    """A data directory on which Switchboard has run, so that starts are short."""
    with short_directory("switchboard-up-") as directory:
        data_dir = directory / "data"
        up = Up(data_dir).wait_until_started()
        up.ends(signal.SIGINT, START_SECONDS)
        yield data_dir


@pytest.fixture(scope="module")
def shared() -> Iterator[Up]:
    """One that runs for all tests which leave it running."""
    with short_directory("switchboard-shared-") as directory:
        up = Up(directory / "data").wait_until_started()
        yield up
        _end(up)


@pytest.fixture
def start(warm_data_dir: Path) -> Iterator[Callable[..., Up]]:
    """Starts ``up``; at the end of the test all of it is gone."""
    with ExitStack() as stack:

        def begin(data_dir: Path = warm_data_dir, port: int | None = None) -> Up:
            up = Up(data_dir, port)
            stack.callback(_end, up)
            return up.wait_until_started()

        yield begin
    until(lambda: not processes_of(warm_data_dir))


def _end(up: Up) -> None:
    if up.process.poll() is None:
        up.process.send_signal(signal.SIGINT)
        try:
            up.process.wait(10)
        except subprocess.TimeoutExpired:
            up.process.kill()
    up.process.wait()


def until(condition: Callable[[], bool], seconds: float = START_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.02)


def processes_of(data_dir: Path) -> list[str]:
    """Every process on this machine that works on ``data_dir``."""
    found = []
    for process in psutil.process_iter():
        try:
            line = " ".join(process.cmdline())
            if str(data_dir) in line or process.cwd().startswith(str(data_dir)):
                found.append(line or process.name())
        except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
            continue
    return found


class TestStop:
    @pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
    def test_everything_is_gone_within_three_seconds(
        self, start: Callable[..., Up], how: signal.Signals
    ) -> None:
        up = start()
        assert len(processes_of(up.data_dir)) >= len(PROCESSES)
        assert up.ends(how, within_seconds=STOP_SECONDS) == 0
        assert processes_of(up.data_dir) == []

    def test_a_frozen_process_does_not_hold_it_up(self, start: Callable[..., Up]) -> None:
        up = start()
        psutil.Process(up.state.pids["worker-1"]).suspend()
        assert up.ends(signal.SIGINT, within_seconds=STOP_SECONDS) == 0
        assert processes_of(up.data_dir) == []


class TestKill:
    @pytest.mark.parametrize("name", PROCESSES)
    def test_a_killed_process_returns_by_itself(self, shared: Up, name: str) -> None:
        first = shared.state.pids[name]
        psutil.Process(first).kill()
        until(lambda: shared.state.pids.get(name) not in (None, first))
        until(shared.is_ready)

    def test_after_the_supervisor_was_killed_the_next_up_recovers(
        self, start: Callable[..., Up]
    ) -> None:
        first = start()
        old = set(first.state.pids.values())
        first.ends(signal.SIGKILL, within_seconds=5)
        second = start()
        assert second.is_ready()
        assert not {pid for pid in old if psutil.pid_exists(pid)}
        second.ends(signal.SIGKILL, within_seconds=5)
        # Without another one, too.
        until(lambda: not processes_of(second.data_dir), seconds=10)

    def test_after_everything_was_killed_nothing_is_lost(self, start: Callable[..., Up]) -> None:
        first = start()
        key = first.create_tenant()
        balance = first.balance(key)
        for pid in first.state.pids.values():
            psutil.Process(pid).kill()
        first.process.wait()
        second = start()
        assert second.is_ready()
        assert second.balance(key) == balance


class TestCrowded:
    def test_a_second_one_says_that_one_is_running(self, shared: Up) -> None:
        second = Up(shared.data_dir)
        assert second.process.wait(timeout=START_SECONDS) == 1
        assert "already running" in second.output
        assert str(shared.process.pid) in second.output
        assert shared.state.api_url in second.output
        assert shared.is_ready()

    def test_a_port_in_use_is_named_and_another_one_taken(self, start: Callable[..., Up]) -> None:
        with socket.create_server((LOOPBACK, 0)) as taken:
            port = taken.getsockname()[1]
            up = start(port=port)
            assert f"Port {port} is in use (" in up.output
            assert not up.state.api_url.endswith(f":{port}")
            assert up.is_ready()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can enter a directory of mode 700 of root")
def test_runs_below_a_directory_that_only_root_may_enter(start: Callable[..., Up]) -> None:
    private = Path(tempfile.mkdtemp(prefix="switchboard-private-"))
    assert private.stat().st_mode & 0o777 == 0o700
    up = start(private / "clone" / ".switchboard")
    assert up.is_ready()
    cluster = Path((private / "clone" / ".switchboard" / "postgres.location").read_text().strip())
    assert up.ends(signal.SIGINT, within_seconds=STOP_SECONDS) == 0
    assert processes_of(private) == []
    shutil.rmtree(cluster)
    shutil.rmtree(private)


def test_secrets_are_readable_by_their_owner_only(shared: Up) -> None:
    assert (shared.data_dir / "secrets.json").stat().st_mode & 0o777 == 0o600
