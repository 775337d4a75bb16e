"""The demo's caller, in a process of its own: ``python -m switchboard.caller``."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

from pydantic import BaseModel

from switchboard.caller.dialogue_policy import Rule
from switchboard.caller.job import Dial, Prepare
from switchboard.caller.reports import REPORT, Failed, Prepared, Report
from switchboard.problems import Problem
from switchboard.processes.process_environment import needed_by

_LEAVE_SECONDS = 0.5
"""How long a caller that is stopped may take to leave its call."""


class CallerDied(Problem):
    """The caller process ended before the call's last report."""


class CallerProcess:
    """A caller that gets ready while the servers start, and dials once they run."""

    def __init__(self, process: asyncio.subprocess.Process, log_path: Path) -> None:
        self._process = process
        self._log_path = log_path

    @classmethod
    @asynccontextmanager
    async def starting(cls, rules: Sequence[Rule], log_path: Path) -> AsyncIterator[Self]:
        """A caller that begins at once to load its models. It ends with the block."""
        log_path.parent.mkdir(parents=True, exist_ok=True)
        with log_path.open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "switchboard.caller",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env={name: text for name, text in os.environ.items() if needed_by("caller")(name)},
            )
        caller = cls(process, log_path)
        try:
            await caller._tell(Prepare(rules=tuple(rules)))
            yield caller
        finally:
            await caller.stop()

    async def prepared(self) -> None:
        """Wait until it is ready to dial.

        Raises:
            Problem: it cannot get ready.
        """
        report = await self._next_report()
        if isinstance(report, Failed):
            raise Problem(report.detail, report.advice)
        if not isinstance(report, Prepared):
            raise self._died()

    async def dial(self, order: Dial) -> AsyncGenerator[Report, None]:
        """Place the call and follow it; the last report is ``Finished``.

        Raises:
            Problem: the call could not be placed or held.
        """
        await self._tell(order)
        while (report := await self._next_report()) is not None:
            if isinstance(report, Failed):
                raise Problem(report.detail, report.advice)
            yield report
            if report.type == "finished":
                return
        raise self._died()

    async def stop(self) -> None:
        """Let it leave its call; kill it if that takes too long. Idempotent."""
        if self._process.returncode is not None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(_LEAVE_SECONDS):
                await self._process.wait()
        except TimeoutError:
            # It may have ended in the very moment in which the time was up.
            if self._process.returncode is None:
                self._process.kill()
                await self._process.wait()

    async def _next_report(self) -> Report | None:
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        return REPORT.validate_json(line) if line else None

    async def _tell(self, order: BaseModel) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(order.model_dump_json().encode() + b"\n")
        # Reading its next report notices a caller that is gone already.
        with contextlib.suppress(ConnectionError):
            await self._process.stdin.drain()

    def _died(self) -> CallerDied:
        return CallerDied("The caller process ended unexpectedly.", f"See {self._log_path}.")
