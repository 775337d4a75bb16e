"""Measures rows: starts the installation that a row asks for, lets the callers talk, and counts."""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.density.callers_process import Callers, Order, calling
from bench.density.condition import Condition
from bench.density.heard import Heard
from bench.density.installation import Installation, Usage, installed
from bench.density.neighbor import neighbor
from bench.density.row import Row, row
from bench.density.transcripts import Account, new_account, read_transcripts
from bench.density_memory import vendors_delay_ms
from bench.machine_speed import fixed_loop_ms
from bench.processor_time import pin
from bench.vendors.delays import Speed
from bench.vendors.vendors_process import Vendors, serving_vendors
from tests.short_directory import short_directory

WARM_UP_SECONDS = 1.0
"""Of one call, before anything is measured: a process does some things only once."""
APPLIED_SECONDS = 3.0
"""After which the last events of the calls have been applied."""


@dataclass(frozen=True)
class Length:
    slices: int
    slice_seconds: float
    call_seconds: float = math.inf
    """After so long a caller leaves, and another one comes."""


@dataclass(frozen=True)
class _Slice:
    heard: Heard
    usage: Usage
    vendors_cpu_seconds: float
    workers_memory_mb: float


class Bench:
    """Callers and vendors are kept from row to row. Each row has a new ``switchboard up``, and only
    one runs at a time."""

    def __init__(self, stack: ExitStack, old: Path | None) -> None:
        self._stack = stack
        self._old = old
        self._directory = stack.enter_context(short_directory("switchboard-density-"))
        self._callers = stack.enter_context(calling())
        self._vendors: dict[Speed, Vendors] = {}

    def rows(self, condition: Condition, length: Length) -> list[Row]:
        """One for each slice."""
        loop_ms, vendors = fixed_loop_ms(), self._vendors_of(condition)
        with installed(
            self._directory / condition.build, condition, vendors, self._old
        ) as installation:
            self._spread(condition, installation, vendors)
            account = asyncio.run(new_account(installation.up, vendors))
            run = _Run(installation, self._callers, vendors, account)
            list(run.slices(1, Length(1, WARM_UP_SECONDS)))
            self._callers.said()
            with neighbor(condition.neighbor):
                slices = list(run.slices(condition.calls, length))
            said = self._callers.said()
            time.sleep(APPLIED_SECONDS)
            transcripts = asyncio.run(read_transcripts(account, list(said)))
        is_offline = condition.vendors == "offline"
        delay_ms = 0.0 if condition.vendors == "offline" else vendors_delay_ms(condition.vendors)
        wrong = transcripts.share_of_wrong_words(said) if is_offline and said else None
        return [
            row(
                condition,
                each.heard,
                transcripts.shares(each.heard.answers, delay_ms),
                each.usage,
                each.vendors_cpu_seconds,
                fixed_loop_ms=loop_ms,
                workers_memory_mb=each.workers_memory_mb,
                wrong_words=wrong,
                minute=number if len(slices) > 1 else None,
            )
            for number, each in enumerate(slices, 1)
        ]

    def _vendors_of(self, condition: Condition) -> Vendors | None:
        if condition.vendors == "offline":
            return None
        if condition.vendors not in self._vendors:
            vendors = self._stack.enter_context(serving_vendors(condition.vendors))
            self._vendors[condition.vendors] = vendors
        return self._vendors[condition.vendors]

    def _spread(
        self, condition: Condition, installation: Installation, vendors: Vendors | None
    ) -> None:
        """Over the machine's cores."""
        besides = [self._callers.pid, *([vendors.pid] if vendors else [])]
        if condition.cores is None:
            pin(besides, os.sched_getaffinity(0))
        else:
            installation.keep_apart(condition.cores, besides)


@dataclass(frozen=True)
class _Run:
    installation: Installation
    callers: Callers
    vendors: Vendors | None
    account: Account

    def slices(self, calls: int, length: Length) -> Iterator[_Slice]:
        order = Order(
            self.account.url,
            self.account.key,
            self.account.agent_id,
            calls,
            length.slices,
            length.slice_seconds,
            length.call_seconds,
        )
        begun, vendors_begun = self.installation.usage(), 0.0
        for heard in self.callers.run(order):
            usage, vendors_used = self.installation.usage(), self._vendors_used()
            if heard is not None:
                yield _Slice(
                    heard,
                    usage - begun,
                    vendors_used - vendors_begun,
                    self.installation.workers_memory_mb(),
                )
            begun, vendors_begun = usage, vendors_used

    def _vendors_used(self) -> float:
        return self.vendors.used_seconds() if self.vendors else 0.0


@contextmanager
def bench(old: Path | None) -> Iterator[Bench]:
    """``old``: the checkout of the old build."""
    with ExitStack() as stack:
        yield Bench(stack, old)
