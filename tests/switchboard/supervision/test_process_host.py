"""A host that forks processes, with real processes and signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from switchboard.parent_watch import PARENT_FD

PARTS = {"first", "second", "servant"}
pytestmark = pytest.mark.timeout(60)


class Host:
    def __init__(self, *arguments: str, parent_fd: int | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.switchboard.supervision.hosted", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | ({} if parent_fd is None else {PARENT_FD: str(parent_fd)}),
            pass_fds=() if parent_fd is None else (parent_fd,),
        )
        self.lines: list[str] = []

    def read_until(self, seen: Callable[[], bool]) -> None:
        assert self.process.stdout is not None
        while not seen():
            line = self.process.stdout.readline()
            assert line, f"the host ended after {self.lines}"
            self.lines.append(line.strip())

    def rest(self) -> list[str]:
        """What is said until host and parts are over."""
        assert self.process.stdout is not None
        return [line.strip() for line in self.process.stdout]

    def pids(self, name: str) -> list[int]:
        """Of the part's processes so far."""
        return [int(line.split()[2]) for line in self.lines if line.startswith(f"{name} runs")]

    def all_run(self) -> bool:
        return all(self.pids(name) for name in PARTS)


@contextmanager
def running(*arguments: str, parent_fd: int | None = None) -> Iterator[Host]:
    host = Host(*arguments, parent_fd=parent_fd)
    try:
        host.read_until(host.all_run)
        yield host
    finally:
        host.process.kill()
        host.process.communicate()


def test_a_part_that_is_killed_is_started_again_and_the_others_go_on() -> None:
    with running() as host:
        os.kill(host.pids("first")[0], signal.SIGKILL)
        host.read_until(lambda: len(host.pids("first")) == 2)
        assert [len(host.pids(name)) for name in ("second", "servant")] == [1, 1]
        assert psutil.pid_exists(host.pids("second")[0])
        assert "pids second servant" in host.lines, "who watches the pids learns of it"


def test_a_part_for_which_there_is_no_room_is_tried_again_and_the_others_go_on() -> None:
    with running("no-room") as host:
        os.kill(host.pids("first")[0], signal.SIGKILL)
        host.read_until(lambda: len(host.pids("first")) == 2)
        assert [len(host.pids(name)) for name in ("second", "servant")] == [1, 1]
        host.process.send_signal(signal.SIGTERM)
        assert "second told SIGTERM" in host.rest(), "signals still reach the host"
        assert host.process.wait(5) == 0


def test_what_serves_others_begins_while_the_host_prepares_for_them() -> None:
    with running() as host:
        begun = [line for line in host.lines if line == "prepared" or line.startswith("pids")]
    assert begun[:3] == ["pids servant", "prepared", "pids first servant"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_goes_to_the_parts_and_what_serves_them_ends_last(number: signal.Signals) -> None:
    with running() as host:
        host.process.send_signal(number)
        told = [line for line in host.rest() if "told" in line]
        assert host.process.wait(5) == 0
    assert set(told[:2]) == {f"first told {number.name}", f"second told {number.name}"}
    assert told[2:] == ["servant told SIGTERM"]


def test_what_serves_others_is_started_again_while_they_stop() -> None:
    with running() as host:
        stopped = psutil.Process(host.pids("first")[0])
        stopped.suspend()
        host.process.send_signal(signal.SIGTERM)
        host.read_until(lambda: "second told SIGTERM" in host.lines)
        os.kill(host.pids("servant")[0], signal.SIGKILL)
        host.read_until(lambda: len(host.pids("servant")) == 2)
        stopped.resume()
        told = [line for line in host.rest() if "told" in line]
        assert told == ["first told SIGTERM", "servant told SIGTERM"]
        assert host.process.wait(5) == 0


def test_a_part_that_must_not_run_ends_them_all() -> None:
    host = Host("refused")
    said = host.rest()
    assert host.process.wait(5) == 1
    assert said.count("refused") == 1
    assert "pids first servant" in said


def test_one_that_ran_before_is_tried_again_and_the_others_go_on(tmp_path: Path) -> None:
    with running("refused-again", str(tmp_path / "starts")) as host:
        os.kill(host.pids("second")[0], signal.SIGKILL)
        host.read_until(lambda: len(host.pids("second")) == 2)
        assert "refused" in host.lines
        assert len(host.pids("first")) == 1


def test_all_end_when_the_host_is_killed() -> None:
    with running() as host:
        host.process.kill()
        told = [line for line in host.rest() if "told" in line]
        assert set(told) == {f"{name} told SIGINT" for name in PARTS}


def test_all_end_when_the_host_s_own_parent_has_ended() -> None:
    read_fd, write_fd = os.pipe()
    try:
        with running(parent_fd=read_fd) as host:
            os.close(write_fd)
            told = [line for line in host.rest() if "told" in line]
            assert set(told) == {f"{name} told SIGINT" for name in PARTS}
            assert host.process.wait(5) == 1
    finally:
        os.close(read_fd)


def test_ctrl_c_in_a_terminal_reaches_the_host_alone() -> None:
    with running() as host:
        groups = {os.getpgid(host.pids(name)[0]) for name in PARTS}
        assert groups == {host.pids(name)[0] for name in PARTS}
