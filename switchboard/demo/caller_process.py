"""The demo's caller, in a process of its own: ``python -m switchboard.caller``."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

from pydantic import BaseModel

from switchboard.caller.conversation import Rule
from switchboard.caller.job import Dial, Prepare
from switchboard.caller.problems import CallProblem
from switchboard.caller.reports import REPORT, Failed, Prepared, Report

_LEAVE_SECONDS = 1.0
"""How long a caller that is told to stop may take to say goodbye to the server."""


class CallerDied(CallProblem):
    """The caller process ended without saying how the call went."""


class CallerProcess:
    """Prepared while the servers start, told to dial once they run."""

    def __init__(self, process: asyncio.subprocess.Process, log_path: Path) -> None:
        self._process = process
        self._log_path = log_path

    @classmethod
    @asynccontextmanager
    async def starting(cls, rules: Sequence[Rule], log_path: Path) -> AsyncIterator[Self]:
        """A caller that begins at once to load its models; it ends with the block."""
        log_path.parent.mkdir(parents=True, exist_ok=True)
        with log_path.open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "switchboard.caller",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        caller = cls(process, log_path)
        try:
            await caller._tell(Prepare(rules=tuple(rules)))
            yield caller
        finally:
            await caller.stop()

    async def prepared(self) -> None:
        """Wait until it could dial.

        Raises:
            CallProblem: it never will.
        """
        report = await self._next_report()
        if isinstance(report, Failed):
            raise CallProblem(report.detail, report.advice)
        if not isinstance(report, Prepared):
            raise self._died()

    async def dial(self, order: Dial) -> AsyncGenerator[Report, None]:
        """Place the call and follow it; the last report is ``Finished``.

        Raises:
            CallProblem: the call could not be placed or held.
        """
        await self._tell(order)
        while (report := await self._next_report()) is not None:
            if isinstance(report, Failed):
                raise CallProblem(report.detail, report.advice)
            yield report
            if report.type == "finished":
                return
        raise self._died()

    async def stop(self) -> None:
        """Let it leave its call, and end it if it does not. Idempotent."""
        if self._process.returncode is not None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(_LEAVE_SECONDS):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    async def _next_report(self) -> Report | None:
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        return REPORT.validate_json(line) if line else None

    async def _tell(self, order: BaseModel) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(order.model_dump_json().encode() + b"\n")
        # A caller that is gone already is noticed by whoever waits for its next report.
        with contextlib.suppress(ConnectionError):
            await self._process.stdin.drain()

    def _died(self) -> CallerDied:
        return CallerDied("The caller process ended unexpectedly.", f"See {self._log_path}.")
