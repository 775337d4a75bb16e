"""What the API's server is given."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from fastapi import FastAPI

from listeners.connection_room import ACCEPTED_AT_ONCE, RESERVED_FILES
from switchboard.processes import api_process
from switchboard.processes.api_process import api_server, calm_interpreter
from switchboard.settings import Settings


def test_its_connections_have_the_limits_that_we_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_process, "raise_open_files_limit", lambda: 1_000)
    config = api_server(FastAPI(), Settings(connections_at_once=2_000)).config
    protocol: Any = config.http
    assert protocol.times.head_seconds == 10
    assert config.timeout_keep_alive == 75
    assert protocol.room.most == 1_000 - RESERVED_FILES
    assert config.backlog == ACCEPTED_AT_ONCE


def test_a_thread_that_computes_hardly_holds_up_what_waits_often() -> None:
    """As the event loop does, which gives the interpreter away with each byte that it sends."""
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    with computing():
        # On a busy machine, the thread may not compute at first.
        usual_seconds = max(seconds_to_send(100) for _ in range(5))
        calm_interpreter()
        try:
            calm_seconds = min(seconds_to_send(100) for _ in range(5))
        finally:
            sys.setswitchinterval(interval)
            gc.set_threshold(*thresholds)
            gc.unfreeze()
    assert calm_seconds < usual_seconds / 2


@contextmanager
def computing() -> Iterator[None]:
    is_over = threading.Event()

    def compute() -> None:
        while not is_over.is_set():
            sum(range(100))

    thread = threading.Thread(target=compute)
    thread.start()
    yield
    is_over.set()
    thread.join()


def seconds_to_send(count: int) -> float:
    reader, writer = os.pipe()
    began_at = time.perf_counter()
    for _ in range(count):
        os.write(writer, b"x")
        os.read(reader, 1)
    os.close(reader)
    os.close(writer)
    return time.perf_counter() - began_at
