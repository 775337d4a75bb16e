"""Applies tenants' JSON Schemas in a child process, which is killed when one takes too much.

Neither the size of a schema nor that of the data bounds what a check costs: regular expressions,
alternatives and recursion multiply. So the work is done where its time and memory can be taken
away, and never in a process that serves others.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any, TypeVar

import structlog

from schema_sandbox import child

ANSWER_SECONDS = 10.0
"""The child limits its processor time, so only a machine that stands still needs this long."""
TOO_COSTLY = "takes too much time or memory to apply; simplify its patterns and references"
T = TypeVar("T")
_log = structlog.get_logger(__name__)


class SchemaTooCostly(Exception):
    """The child was killed: it needed too much time or memory."""

    def __init__(self) -> None:
        super().__init__(TOO_COSTLY)


@dataclass(frozen=True)
class Findings:
    """What is wrong with a value: the first few sentences, and every property with a fault."""

    sentences: tuple[str, ...]
    properties: frozenset[str]


class SchemaSandbox:
    """One child process at a time, started with the first request. Requests wait for each other.

    It can be used from any thread. The methods block, except ``run``.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        # Of its own: those who wait here leave the other threads to everybody else.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="json-schemas")

    @property
    def pid(self) -> int | None:
        """The child's process id, ``None`` while there is none."""
        return None if self._child is None else self._child.pid

    async def run(self, check: Callable[[], T]) -> T:
        """Call ``check``, which uses the sandbox, without blocking the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, check)

    def fault_of(self, schema: Mapping[str, Any]) -> str | None:
        """What is wrong with ``schema``, as the end of a sentence; ``None`` if it is valid.

        Raises:
            SchemaTooCostly: compiling it takes too much time or memory.
        """
        return self.faults_of([schema])[0]

    def faults_of(self, schemas: Sequence[Mapping[str, Any]]) -> list[str | None]:
        """As ``fault_of`` for each of ``schemas``, with time and memory for all together."""
        faults: list[str | None] = self._ask({"schemas": schemas})["faults"]
        return faults

    def findings(self, schema: Mapping[str, Any], value: Any) -> Findings:
        """What is wrong with ``value``. ``schema`` must be valid.

        Raises:
            SchemaTooCostly: the check takes too much time or memory.
        """
        answer = self._ask({"schema": schema, "value": value})
        return Findings(tuple(answer["findings"]), frozenset(answer["properties"]))

    def close(self) -> None:
        with self._lock:
            self._kill()
        self._thread.shutdown(wait=False)

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        document = json.dumps(request).encode()
        with self._lock:
            process = self._running()
            try:
                answer: dict[str, Any] = json.loads(_exchanged(process, document))
            except (OSError, EOFError, TimeoutError) as error:
                self._kill()
                _log.warning("json_schema_refused", reason=repr(error), ended=process.returncode)
                raise SchemaTooCostly from error
            except BaseException:
                # Half an answer must not become the next one's.
                self._kill()
                raise
        return answer

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self._child = subprocess.Popen(
                [sys.executable, "-I", str(Path(child.__file__))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                env={},
            )
        return self._child

    def _kill(self) -> None:
        process, self._child = self._child, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


@cache
def schema_sandbox() -> SchemaSandbox:
    """This process's sandbox. It belongs to no event loop, so all parts of the process share it."""
    sandbox = SchemaSandbox()
    atexit.register(sandbox.close)
    return sandbox


def _exchanged(process: subprocess.Popen[bytes], document: bytes) -> bytes:
    """
    Raises:
        EOFError, OSError: the child has ended.
        TimeoutError: it did not answer in time.
    """
    assert process.stdin is not None
    assert process.stdout is not None
    ends_at = time.monotonic() + ANSWER_SECONDS
    # The child reads everything before it answers, so writing cannot block it.
    process.stdin.write(len(document).to_bytes(child.LENGTH_BYTES))
    _write_all(process.stdin, document)
    length = int.from_bytes(_read(process.stdout, child.LENGTH_BYTES, ends_at))
    return _read(process.stdout, length, ends_at)


def _write_all(pipe: IO[bytes], document: bytes) -> None:
    rest = memoryview(document)
    while rest:
        rest = rest[pipe.write(rest) :]


def _read(pipe: IO[bytes], length: int, ends_at: float) -> bytes:
    received = b""
    readable = select.poll()
    readable.register(pipe, select.POLLIN)
    while len(received) < length:
        if not readable.poll(max(0.0, ends_at - time.monotonic()) * 1000):
            raise TimeoutError("no answer")
        part = os.read(pipe.fileno(), length - len(received))
        if not part:
            raise EOFError("the child has ended")
        received += part
    return received
