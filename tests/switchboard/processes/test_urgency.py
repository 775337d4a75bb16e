from __future__ import annotations

import multiprocessing
import os
import resource
import threading
from multiprocessing.connection import Connection

import pytest

from switchboard.processes.urgency import STARTING_NICENESS, Urgency

NOBODY = 65534


def _become_ordinary() -> None:
    """A user who may not lower a niceness."""
    resource.setrlimit(resource.RLIMIT_NICE, (0, 0))
    if os.geteuid() == 0:
        os.setpriority(os.PRIO_PROCESS, 0, 0)
        os.setuid(NOBODY)


def _tell(pipe: Connection, niceness: int, is_ordinary: bool) -> None:
    if is_ordinary:
        _become_ordinary()
    waiting = threading.Event()
    thread = threading.Thread(target=waiting.wait, daemon=True)
    thread.start()
    urgency = Urgency(niceness)
    for step in (urgency.starts, urgency.is_warm):
        step()
        of_thread = os.getpriority(os.PRIO_PROCESS, thread.native_id or 0)
        pipe.send((os.getpriority(os.PRIO_PROCESS, 0), of_thread))
    waiting.set()


def in_another_process(niceness: int, *, is_ordinary: bool = False) -> list[tuple[int, int]]:
    """The niceness of its first thread and of another one: while it starts, and when it is warm."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=_tell, args=(theirs, niceness, is_ordinary)
    )
    process.start()
    theirs.close()
    told = [ours.recv(), ours.recv()]
    process.join()
    return told


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may lower its niceness")
def test_every_thread_gives_way_while_the_process_starts_and_is_urgent_then() -> None:
    starting, warm = in_another_process(-10)
    assert starting == (STARTING_NICENESS, STARTING_NICENESS)
    assert warm == (-10, -10)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can begin with a known niceness")
@pytest.mark.parametrize("niceness", [0, 5])
def test_a_process_that_could_not_come_back_does_not_give_way(niceness: int) -> None:
    """A worker of an ordinary user would end when it is warm, again and again."""
    starting, warm = in_another_process(niceness, is_ordinary=True)
    assert starting == (0, 0)
    assert warm == (niceness, niceness)


def test_a_process_that_may_not_be_more_urgent_stays_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = os.getpriority(os.PRIO_PROCESS, 0)

    def refused(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "setpriority", refused)
    urgency = Urgency(own - 1)
    urgency.starts()
    urgency.is_warm()
    assert os.getpriority(os.PRIO_PROCESS, 0) == own
