"""What an input makes its thread do or wait for counts; that others have the processor does not."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from random import Random
from select import select

import pytest
from pydantic import BaseModel

from tests.fuzz import documents
from tests.fuzz.documents import LONGEST_MS, fuzz_documents
from tests.fuzz.own_time import own_ms

SLOW_MS = 2 * LONGEST_MS
NEIGHBOURS = 4
"""So many that a thread which waits for ``SLOW_MS`` works for less than ``LONGEST_MS``."""
Neighbours = list[subprocess.Popen[bytes]]


@pytest.fixture
def neighbours() -> Iterator[Neighbours]:
    """Processes that never rest, on the one processor that is left to this thread."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    busy = [sys.executable, "-S", "-c", "while True: pass"]
    started = [subprocess.Popen(busy) for _ in range(NEIGHBOURS)]
    try:
        yield started
    finally:
        os.sched_setaffinity(0, allowed)
        for each in started:
            each.kill()
            each.wait()


def queue_for_processor(neighbours: Neighbours) -> None:
    began_at, worked_at = time.perf_counter(), time.thread_time()
    while (time.perf_counter() - began_at) - (time.thread_time() - worked_at) < SLOW_MS / 1000:
        assert all(each.poll() is None for each in neighbours), "nothing takes the processor"


def work() -> None:
    began_at = time.thread_time()
    while time.thread_time() - began_at < SLOW_MS / 1000:
        pass


def block() -> None:
    select([], [], [], SLOW_MS / 1000)


def test_time_in_which_others_have_the_processor_does_not_count(neighbours: Neighbours) -> None:
    began_at_ms, worked_at = own_ms(), time.thread_time()
    queue_for_processor(neighbours)
    worked_ms = (time.thread_time() - worked_at) * 1000
    assert own_ms() - began_at_ms - worked_ms < SLOW_MS / 2


@pytest.mark.parametrize("act", [work, block])
def test_what_a_thread_does_or_waits_for_counts(act: Callable[[], None]) -> None:
    began_at_ms = own_ms()
    act()
    assert own_ms() - began_at_ms > SLOW_MS * 0.9


def test_a_document_is_not_slow_because_others_have_the_processor(
    monkeypatch: pytest.MonkeyPatch, neighbours: Neighbours
) -> None:
    assert faults_of_a_document(monkeypatch, lambda: queue_for_processor(neighbours)) == []


@pytest.mark.parametrize("act", [work, block])
def test_a_document_that_keeps_its_reader_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]
) -> None:
    [fault] = faults_of_a_document(monkeypatch, act)
    assert fault.startswith("one document took ")


def faults_of_a_document(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> list[str]:
    def read(_model: type[BaseModel], _document: str | bytes) -> bool:
        act()
        return True

    monkeypatch.setattr(documents, "_is_read", read)
    return fuzz_documents(Random(1), 1).faults
