"""A backlog of events, applied by one, two and three processes: for ``bench.api_events``."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from redis import Redis

from bench.processor_time import descendants, used_seconds

LOOK_SECONDS = 0.02


@dataclass(frozen=True)
class Drained:
    """What it took to apply a backlog. ``given`` counts entries that were given again, too."""

    consumers: int
    events: int
    seconds: float
    consumer_cpu_seconds: float
    database_cpu_seconds: float
    given: int

    @property
    def per_second(self) -> float:
        return self.events / self.seconds

    @property
    def consumer_cpu_us(self) -> float:
        return self.consumer_cpu_seconds / self.events * 1e6

    @property
    def database_cpu_us(self) -> float:
        return self.database_cpu_seconds / self.events * 1e6


@contextmanager
def consumers(
    count: int, app_url: str, system_url: str, redis_url: str
) -> Iterator[list[Consumer]]:
    started = [Consumer(app_url, system_url, redis_url) for _ in range(count)]
    try:
        for consumer in started:
            consumer.wait_ready()
        yield started
    finally:
        for consumer in started:
            consumer.end()


class Consumer:
    def __init__(self, *urls: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.event_consumer_process", *urls],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait_ready(self) -> None:
        assert self._output.readline() == "ready\n"

    def begin(self) -> None:
        self._say()

    def stop(self) -> int:
        """Returns how many entries it was given."""
        self._say()
        return int(self._output.readline())

    def _say(self) -> None:
        self._input.write("\n")
        self._input.flush()

    def end(self) -> None:
        self._process.kill()
        self._process.wait()


def drain(
    running: Sequence[Consumer], redis: Redis, streams: Sequence[str], psycopg_url: str
) -> Drained:
    """Let the consumers apply what is in ``streams``."""
    events = _waiting(redis, streams)
    pids = [consumer.pid for consumer in running]
    with psycopg.connect(psycopg_url, autocommit=True) as connection:
        server = _parent_of(connection.info.backend_pid)
        backends_before = _cpu_of_backends(server)
        before, started_at = used_seconds(pids), time.perf_counter()
        for consumer in running:
            consumer.begin()
        while _waiting(redis, streams):
            time.sleep(LOOK_SECONDS)
        seconds = time.perf_counter() - started_at
        used = used_seconds(pids) - before
        backends = _cpu_of_backends(server) - backends_before
    given = sum(consumer.stop() for consumer in running)
    return Drained(len(running), events, seconds, used, backends, given)


def _waiting(redis: Redis, streams: Sequence[str]) -> int:
    pipe = redis.pipeline(transaction=False)
    for stream in streams:
        pipe.xlen(stream)
    return sum(pipe.execute())


def _parent_of(pid: int) -> int:
    with open(f"/proc/{pid}/stat") as stat:
        return int(stat.read().rpartition(")")[2].split()[1])


def _cpu_of_backends(server: int) -> float:
    return used_seconds([server, *descendants(server)])
