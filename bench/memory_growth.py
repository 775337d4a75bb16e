"""Whether an installation's processes grow: over many short calls, or over one long one.

    python -m bench.memory_growth --short-calls 1000
    python -m bench.memory_growth --long-call-minutes 120

The calls are WebRTC calls to one worker process, with stand-ins for cloud vendors
(``bench.vendors``). Prints each process's memory after every 100 short calls, or every 5 minutes
of the long one, and says whether it is flat (``bench.private_memory``). Exits with 1 if a process
grows, or if a call ended before its caller ended it.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

from rich.console import Console
from rich.table import Table

from bench.limits import Figure, judge
from bench.memory_growth_callers import (
    Held,
    Installation,
    LongCall,
    ShortCalls,
    callers_process,
)
from bench.private_memory import Growth, private_mb
from bench.vendors.delays import DELAYS
from bench.vendors.vendors_process import Vendors, serving_vendors, stack_fields
from contracts.call_plan import LONGEST_CALL_SECONDS
from switchboard.demo.account import agent_body, create_account
from switchboard.state import read_secrets
from switchboard_client import AsyncSwitchboard
from tests.e2e.up import Up
from tests.short_directory import short_directory

_CALLS_A_ROUND = 100
_ROUND_SECONDS = 300.0
"""Of the long call, from one measurement to the next."""
_TURN_SECONDS = 20.0
_SETTLING_SECONDS = 5.0
"""After the last call of a round, in which the platform applies what is left of it."""
_HANG_UP_SECONDS = 10.0
"""By which the long call is shorter: the caller ends it, not the platform's own limit."""
_CREDIT_USD = 1000


def patient_agent() -> dict[str, object]:
    """Greets in a few words, and waits for a caller who says nothing for a minute."""
    body = agent_body() | stack_fields()
    body["playbook"] = {"opener": "Hello, how can I help you?"}
    body["advanced"] = {
        "maxCallDuration": LONGEST_CALL_SECONDS,
        "silencePromptDelay": 60,
        "postSilenceHangup": 60,
    }
    return body


async def prepare(up: Up) -> Installation:
    """An account with credit for every call, and its agent."""
    secrets = read_secrets(up.data_dir)
    assert secrets is not None
    url = up.state.api_url
    account = await create_account(url, secrets.operator_token)
    async with AsyncSwitchboard(url, secrets.operator_token) as operator:
        path = f"/v1/operator/tenants/{account.tenant_id}/credits"
        credit = {"amount_usd": _CREDIT_USD, "description": "For the measurement"}
        await operator.request("POST", path, body=credit)
    async with AsyncSwitchboard(url, account.secret_key) as api:
        agent = await api.agents.create(patient_agent())
        await api.agents.publish(agent.id)
    return Installation(url, account.secret_key, str(agent.id))


@contextmanager
def running(vendors: Vendors, at_once: int) -> Iterator[tuple[Up, Connection]]:
    """An installation, and the pipe to its callers."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    environment = vendors.settings | {
        "SWITCHBOARD_WORKER_PROCESSES": "1",
        "SWITCHBOARD_SLOTS": str(max(8, at_once)),
    }
    with short_directory("switchboard-memory-") as directory:
        up = Up(directory / "data", environment=environment)
        callers = None
        try:
            installation = asyncio.run(prepare(up.wait_until_started()))
            callers = context.Process(target=callers_process, args=(theirs, installation))
            callers.start()
            # Should the callers fail, the pipe ends.
            theirs.close()
            yield up, ours
            ours.send(None)
            callers.join()
        finally:
            if callers is not None:
                callers.kill()
            up.end()


@dataclass
class Measurements:
    up: Up
    console: Console
    at: list[float] = field(default_factory=list)
    mb: dict[str, list[float]] = field(default_factory=dict)
    pids: dict[str, int] = field(default_factory=dict)

    def take(self, at: float, what: str) -> None:
        """Shown at once, for whoever waits.

        Raises:
            RuntimeError: a process was started again.
        """
        pids = self.up.state.pids
        if self.pids not in ({}, pids):
            raise RuntimeError(f"not the same processes: {self.pids}, then {pids}")
        self.pids = pids
        self.at.append(at)
        memory = private_mb(pids)
        for name, mb in memory.items():
            self.mb.setdefault(name, []).append(mb)
        self.show(what, memory)

    def show(self, what: str, memory: Mapping[str, float]) -> None:
        shown = ", ".join(f"{name} {mb:.1f}" for name, mb in memory.items())
        self.console.print(f"{time.strftime('%H:%M:%S')} {what}: {shown}", soft_wrap=True)

    @property
    def growing(self) -> int:
        """How many processes grow."""
        return sum(not Growth(self.at, mb).is_flat for mb in self.mb.values())

    def table(self, unit: str) -> Table:
        table = Table("MB of its own", *(f"{at:.2g}" for at in self.at), "grown", f"MB/{unit}", "")
        for name, mb in self.mb.items():
            growth = Growth(self.at, mb)
            table.add_row(
                *(name, *(f"{each:.0f}" for each in mb)),
                *(f"{growth.grown_mb:+.1f}", f"{growth.slope:+.2f}"),
                "flat" if growth.is_flat else "grows",
            )
        return table


def measure_short_calls(
    calls: int, at_once: int, pipe: Connection, measurements: Measurements
) -> int:
    """How many failed."""
    failures = 0
    measurements.take(0, "before the first call")
    for rounds in range(1, calls // _CALLS_A_ROUND + 1):
        began_at = time.monotonic()
        pipe.send(ShortCalls(_CALLS_A_ROUND, at_once))
        held: Held = pipe.recv()
        failures += held.failures
        took_seconds = time.monotonic() - began_at
        time.sleep(_SETTLING_SECONDS)
        measurements.take(rounds, f"{rounds * _CALLS_A_ROUND} calls ({took_seconds:.0f} s, {held})")
    return failures


def measure_long_call(minutes: float, pipe: Connection, measurements: Measurements) -> int:
    """How many failed."""
    measurements.take(0.0, "before the call")
    began_at = time.monotonic()
    pipe.send(LongCall(min(minutes * 60, LONGEST_CALL_SECONDS) - _HANG_UP_SECONDS, _TURN_SECONDS))
    while not pipe.poll(_ROUND_SECONDS):
        passed_seconds = time.monotonic() - began_at
        measurements.take(passed_seconds / 3600, f"{passed_seconds / 60:.0f} minutes")
    held: Held = pipe.recv()
    passed_seconds = time.monotonic() - began_at
    measurements.console.print(f"The call took {passed_seconds / 60:.1f} minutes: {held}")
    time.sleep(_SETTLING_SECONDS)
    measurements.show("after the call", private_mb(measurements.pids))
    return held.failures


def main() -> int:
    parser = argparse.ArgumentParser(description="Whether an installation's processes grow")
    wanted = parser.add_mutually_exclusive_group(required=True)
    wanted.add_argument("--short-calls", type=int, help="in all; in rounds of 100")
    wanted.add_argument("--long-call-minutes", type=float, help="120 is the longest call")
    parser.add_argument("--at-once", type=int, default=8, help="of the short calls")
    parser.add_argument("--vendors", choices=list(DELAYS), default="instant")
    arguments = parser.parse_args()
    console = Console()
    with (
        serving_vendors(arguments.vendors) as vendors,
        running(vendors, arguments.at_once) as (up, pipe),
    ):
        measurements = Measurements(up, console)
        if arguments.short_calls is not None:
            failures = measure_short_calls(
                arguments.short_calls, arguments.at_once, pipe, measurements
            )
            table = measurements.table("100 calls")
        else:
            failures = measure_long_call(arguments.long_call_minutes, pipe, measurements)
            table = measurements.table("hour")
    console.print(table)
    figures = [
        Figure("processes that grow", measurements.growing, 0),
        Figure("calls that ended before their callers ended them", failures, 0),
    ]
    return judge(figures, console)


if __name__ == "__main__":
    sys.exit(main())
