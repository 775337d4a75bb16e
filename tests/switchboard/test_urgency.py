from __future__ import annotations

import multiprocessing
import os
from multiprocessing.connection import Connection

import pytest

from switchboard.urgency import become_urgent


def _tell(pipe: Connection, niceness: int) -> None:
    pipe.send((become_urgent(niceness), os.getpriority(os.PRIO_PROCESS, 0)))


def in_another_process(niceness: int) -> tuple[int, int]:
    """What ``become_urgent`` returns, and what the process has then."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_tell, args=(theirs, niceness))
    process.start()
    told: tuple[int, int] = ours.recv()
    process.join()
    return told


def test_a_process_takes_the_niceness_that_it_may_have() -> None:
    wanted = min(19, os.getpriority(os.PRIO_PROCESS, 0) + 1)
    assert in_another_process(wanted) == (wanted, wanted)


def test_a_process_that_may_not_be_more_urgent_goes_on_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "setpriority", refused)
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert become_urgent(own - 1) == own
