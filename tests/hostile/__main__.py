"""One hostile tenant and one hostile caller beside four calls of another tenant.

python -m tests.hostile [--seconds 180] [--quiet-seconds 60] [--only NAME …]

The attacks begin with a few seconds in which the processes load what they load once. Then the
neighbour is alone for a minute, and then beside all attacks at once. No call of the neighbour may
end, its frames and its requests keep their pace, and no process may grow.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Collection, Mapping
from pathlib import Path

from rich.console import Console

from switchboard.demo.account import DemoAccount, create_account
from switchboard.state import read_secrets
from switchboard_client import AsyncSwitchboard
from tests.e2e.up import Up
from tests.hostile.attacks import ATTACKS, EXPECTED, Target, target_as_json
from tests.hostile.neighbour import PATIENT, Neighbour, Served
from tests.short_directory import short_directory

CALLS = 4
LONGEST_GAP_P99_MS = 60.0
SLOWER_AT_MOST = 2.0
GROWTH_AT_MOST_MIB = 100
LOADING_SECONDS = 5.0
"""Of attack, at first: with its first requests of a kind a process opens connections and loads
code, which is not the price of an attack on one that has run for a while."""
WARM_UP_SECONDS = 20.0
"""After which the attacked processes have loaded what they load once."""

console = Console(soft_wrap=True)


async def run(seconds: float, quiet_seconds: float, names: Collection[str], up: Up) -> list[str]:
    """One line for each fault."""
    secrets = read_secrets(up.data_dir)
    assert secrets is not None
    url = up.state.api_url
    hostile = await _hostile_account(url, secrets.operator_token)
    account = await create_account(url, secrets.operator_token)
    async with AsyncSwitchboard(url, account.secret_key) as api:
        agent = await api.request("POST", "/v1/agents", body=PATIENT)
        await api.request("POST", f"/v1/agents/{agent['id']}/publish")
        neighbour = Neighbour(url, account.secret_key, api, agent["id"])
        async with neighbour.in_calls(CALLS) as call_ids:
            target = _target(up, hostile)
            await _attack(target, LOADING_SECONDS, names)
            await asyncio.sleep(WARM_UP_SECONDS)
            neighbour.served = quiet = Served()
            await asyncio.sleep(quiet_seconds)
            neighbour.served = attacked = Served()
            attack = asyncio.create_task(_attack(target, seconds, names))
            await asyncio.sleep(WARM_UP_SECONDS)
            before = _memory_mib(up)
            answers = await attack
            after = _memory_mib(up)
        records = [await _over(api, call_id) for call_id in call_ids]
    console.print(f"quiet:    {quiet.table_row()}")
    console.print(f"attacked: {attacked.table_row()}")
    for name, mib in after.items():
        console.print(f"  memory of {name}: {before.get(name, 0)} MiB, then {mib} MiB")
    for answer, count in sorted(answers.items()):
        console.print(f"  {answer}: {count}")
    return [
        *neighbour.faults,
        *(f"call: {r['status']} {r['end_reason']}" for r in records if r["status"] != "completed"),
        *("call is not billed" for record in records if not record["total_cost"]),
        *_slow(quiet, attacked),
        *_misses(names, answers),
        *(
            f"{name} grew from {before[name]} to {mib} MiB"
            for name, mib in after.items()
            if name in before and mib - before[name] > GROWTH_AT_MOST_MIB
        ),
        *(f"{name} was started again" for name in before.keys() ^ after.keys()),
    ]


async def _hostile_account(url: str, operator_token: str) -> DemoAccount:
    """Its agent says what a call's variables hold."""
    account = await create_account(url, operator_token)
    async with AsyncSwitchboard(url, account.secret_key) as api:
        path = f"/v1/agents/{account.agent_id}"
        await api.request("PATCH", path, body={"opener": "Hello, {{ name }}!"})
        await api.request("POST", f"{path}/publish")
    return account


def _misses(names: Collection[str], answers: Mapping[str, int]) -> list[str]:
    return [
        f"{name} was never answered with '{EXPECTED[name]}'"
        for name in names
        if f"{name} {EXPECTED[name]}" not in answers
    ]


def _slow(quiet: Served, attacked: Served) -> list[str]:
    faults = []
    if attacked.gaps_p99_ms > LONGEST_GAP_P99_MS:
        faults.append(f"frame gaps p99 {attacked.gaps_p99_ms:.0f} ms")
    if attacked.answers_p99_ms > SLOWER_AT_MOST * quiet.answers_p99_ms:
        faults.append(f"API p99 {attacked.answers_p99_ms:.0f}, was {quiet.answers_p99_ms:.0f} ms")
    return faults


def _target(up: Up, account: DemoAccount) -> Target:
    return Target(
        url=up.state.api_url,
        agent_id=account.agent_id,
        secret_key=account.secret_key,
        publishable_key=account.publishable_key,
        worker_pids=[pid for name, pid in up.state.pids.items() if name.startswith("worker-")],
    )


async def _attack(target: Target, seconds: float, names: Collection[str]) -> dict[str, int]:
    """From a process that computes only when nobody else wants to: an attacker's processor is not
    the installation's."""
    attacker = await asyncio.create_subprocess_exec(
        *("chrt", "--idle", "0", sys.executable, "-m", "tests.hostile.attacks"),
        *(str(seconds), *names),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await attacker.communicate(target_as_json(target).encode())
    answers: dict[str, int] = json.loads(output.splitlines()[-1])
    return answers


async def _over(api: AsyncSwitchboard, call_id: str) -> dict[str, object]:
    async with asyncio.timeout(60):
        while True:
            record: dict[str, object] = await api.request("GET", f"/v1/calls/{call_id}")
            if record["ended_at"] is not None:
                return record
            await asyncio.sleep(0.5)


def _memory_mib(up: Up) -> dict[str, int]:
    """Resident, by process and pid."""
    return {
        f"{name} ({pid})": int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 >> 20
        for name, pid in up.state.pids.items()
        if Path(f"/proc/{pid}").exists()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=180, help="of attack")
    parser.add_argument("--quiet-seconds", type=float, default=60, help="before it")
    parser.add_argument("--only", nargs="+", choices=ATTACKS, default=list(ATTACKS), metavar="NAME")
    arguments = parser.parse_args()
    with short_directory("switchboard-hostile-") as directory:
        up = Up(directory / "data")
        try:
            up.wait_until_started()
            faults = asyncio.run(
                run(arguments.seconds, arguments.quiet_seconds, arguments.only, up)
            )
        finally:
            up.end()
    for fault in faults:
        console.print(f"FAULT {fault}")
    console.print(f"{len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
