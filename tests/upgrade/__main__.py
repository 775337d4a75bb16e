"""Two releases side by side, and a rolling upgrade, with real processes and WebRTC calls.

python -m tests.upgrade [--previous v0.1.0] [--calls 100] [--live 20] [--history 1000000]

First both releases' APIs, jobs processes and media workers run at once, and calls go through every
mixture of them. Then an installation of the previous release is upgraded, one process after the
other, while calls are live. No call may fail, and the books must balance.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

from rich.console import Console

from switchboard_client import AsyncSwitchboard
from tests.chaos.invariants import broken_invariants
from tests.short_directory import short_directory
from tests.upgrade.installation import Account, Installation, Running, installation
from tests.upgrade.release import THIS, Release, UnknownRevision, previous
from tests.upgrade.silent_call import Outcome, silent_call

AT_ONCE = 4
HOLD_SECONDS = 6.0
PLACED_EVERY_SECONDS = 1.0
LIVE_SECONDS = 20.0
"""How long calls go on after the upgrade."""
CALLERS_NICENESS = -10
WORKERS = (1, 2)
SPARE_SLOTS = 2
"""Of each worker: no process carries all live calls, as none would in a well-kept installation."""

console = Console()


async def side_by_side(
    installed: Installation, releases: Sequence[Release], calls: int
) -> list[str]:
    """Calls through both releases' processes at once; one line for each fault."""
    for release in releases:
        await installed.migrate(release)
    apis = [await installed.api(release) for release in releases]
    for release in releases:
        await installed.jobs(release)
        await installed.worker(release)
    account = await installed.account(apis[0])
    free = asyncio.Semaphore(AT_ONCE)

    async def one(api: Running) -> Outcome:
        async with free, AsyncSwitchboard(api.url, account.secret_key) as client:
            return await silent_call(lambda: client, account.agent_id, held)

    turns = itertools.islice(itertools.cycle(apis), calls)
    outcomes = await asyncio.gather(*(one(api) for api in turns))
    return faults_of(installed, account, outcomes)


async def rolling_upgrade(
    installed: Installation, old: Release, new: Release, live: int, history: int
) -> list[str]:
    """Upgrade in the order of docs/upgrades.md under ``live`` calls; one line for each fault.

    Args:
        history: calls of another tenant that were over before.
    """
    await installed.migrate(old)
    if history:
        await asyncio.to_thread(installed.add_history, history)
    api, jobs = await installed.api(old), await installed.jobs(old)
    slots = live // len(WORKERS) + SPARE_SLOTS
    workers = [await installed.worker(old, number, slots) for number in WORKERS]
    account = await installed.account(api)
    client = AsyncSwitchboard(api.url, account.secret_key)
    upgraded = asyncio.Event()
    outcomes: list[Outcome] = []
    _stand_for_other_machines()

    async def short_call() -> None:
        outcomes.append(await silent_call(lambda: client, account.agent_id, held))

    async with asyncio.TaskGroup() as group:
        calls = []
        for _ in range(live):
            call = silent_call(lambda: client, account.agent_id, upgraded.wait)
            calls.append(group.create_task(call))
            await asyncio.sleep(PLACED_EVERY_SECONDS)
        migration = group.create_task(installed.migrate(new))
        while not migration.done():
            await short_call()
        for number, worker in zip(WORKERS, workers, strict=True):
            await installed.worker(new, number, slots)
            worker.told_to_stop()
            await short_call()
        newer_jobs = await installed.jobs(new)
        await stopped(jobs)
        await short_call()
        newer_api = await installed.api(new)
        before, client = client, AsyncSwitchboard(newer_api.url, account.secret_key)
        await stopped(api)
        await short_call()
        await asyncio.sleep(LIVE_SECONDS)
        upgraded.set()
    for worker in workers:
        await worker.ended()
    for opened in (before, client):
        await opened.aclose()
    assert newer_jobs.process.poll() is None
    return faults_of(installed, account, [*outcomes, *(call.result() for call in calls)])


def _stand_for_other_machines() -> None:
    """Give the callers the processor first: a starting release does not slow their machines down.

    Their own frames would be late otherwise, and their connections would be given up.
    """
    try:
        os.setpriority(os.PRIO_PROCESS, 0, CALLERS_NICENESS)
    except PermissionError:
        console.print("Without the right to raise its priority, this process shares it.")


async def held() -> None:
    await asyncio.sleep(HOLD_SECONDS)


async def stopped(running: Running) -> None:
    running.told_to_stop()
    await running.ended()


def faults_of(installed: Installation, account: Account, outcomes: Sequence[Outcome]) -> list[str]:
    """What is wrong with the calls and with the books."""
    created = {account.tenant_id: [UUID(each.call_id) for each in outcomes if each.call_id]}
    faults = [f"call {each.call_id}: {each.fault}" for each in outcomes if each.fault]
    tenant_id = account.tenant_id
    return faults + broken_invariants(installed.psycopg_url, created, {}, only_tenant=tenant_id)


def report(part: str, calls: int, faults: Sequence[str]) -> None:
    console.print(f"{part}: {calls} calls, {len(faults)} faults")
    for fault in faults:
        console.print(f"  {fault}")


async def run(revision: str, calls: int, live: int, history: int, logs: Path) -> int:
    with short_directory("switchboard-release-") as directory, previous(revision, directory) as old:
        with installation(logs / "side-by-side") as installed:
            mixed = await side_by_side(installed, (old, THIS), calls)
            report("side by side", calls, mixed)
        with installation(logs / "rolling-upgrade") as installed:
            rolled = await rolling_upgrade(installed, old, THIS, live, history)
            report("rolling upgrade", live, rolled)
    return 1 if mixed or rolled else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--previous", default="v0.1.0", metavar="REVISION", help="tag or commit")
    parser.add_argument("--calls", type=int, default=100, help="side by side")
    parser.add_argument("--live", type=int, default=20, help="during the rolling upgrade")
    parser.add_argument(
        "--history", type=int, default=0, help="calls that were over before the rolling upgrade"
    )
    parser.add_argument("--logs", type=Path, help="folder; by default a new one in /tmp")
    arguments = parser.parse_args()
    logs = arguments.logs or Path(tempfile.mkdtemp(prefix="switchboard-upgrade-logs-"))
    console.print(f"The processes' logs: {logs}")
    run_both = run(arguments.previous, arguments.calls, arguments.live, arguments.history, logs)
    try:
        sys.exit(asyncio.run(run_both))
    except UnknownRevision as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
