"""One hostile tenant and one hostile caller beside four calls of another tenant.

python -m tests.hostile [--seconds 180] [--quiet-seconds 60] [--only NAME …]

The attacks begin with a few seconds in which the processes load what they load once. Then the
neighbour is alone for a minute, and then beside all attacks at once. No call of the neighbour may
end, its frames and its requests keep their pace, no process may go on growing, and no mail has a
header that is not ours.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from email import message_from_bytes
from email.policy import default
from pathlib import Path

from rich.console import Console

from switchboard.demo.account import DemoAccount, create_account
from switchboard.package_settings import OUTBOX
from switchboard.state import read_secrets
from switchboard_client import AsyncSwitchboard
from tests.control_plane.platform.mail.test_mail import ENCODED_WORDS, FIELDS
from tests.e2e.up import Up
from tests.hostile.attacks import ATTACKS, LOADING, target_as_json
from tests.hostile.memory import Memory
from tests.hostile.neighbour import PATIENT, Neighbour, Served
from tests.hostile.silent_name_server import silent_name_server
from tests.hostile.target import Target
from tests.short_directory import short_directory

CALLS = 4
LONGEST_GAP_P99_MS = 60.0
SLOWER_AT_MOST = 2.0
LOADING_SECONDS = 20.0
"""Of attack, at first: with its first requests of a kind a process opens connections and loads
code, and with its first calls its heap grows, which is not the price of an attack on one that has
run for a while."""
WARM_UP_SECONDS = 20.0
"""After which the attacked processes have loaded what they load once."""
SAMPLE_SECONDS = 1.0
ENCODED_WORD = ENCODED_WORDS[0]
UNSUBSCRIBING = ("List-Unsubscribe", "List-Unsubscribe-Post")

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
            await _attack(target, LOADING_SECONDS, [*names, *LOADING])
            await asyncio.sleep(WARM_UP_SECONDS)
            neighbour.served = quiet = Served()
            await asyncio.sleep(quiet_seconds)
            neighbour.served = attacked = Served()
            attack = asyncio.create_task(_attack(target, seconds, names))
            await asyncio.sleep(WARM_UP_SECONDS)
            memory = await _memory_during(attack, up)
            answers = attack.result()
        records = [await _over(api, call_id) for call_id in call_ids]
    console.print(f"quiet:    {quiet.table_row()}")
    console.print(f"attacked: {attacked.table_row()}")
    for line in memory.table():
        console.print(f"  {line}")
    for answer, count in sorted(answers.items()):
        console.print(f"  {answer}: {count}")
    return [
        *neighbour.faults,
        *(f"call: {r['status']} {r['end_reason']}" for r in records if r["status"] != "completed"),
        *("call is not billed" for record in records if not record["total_cost"]),
        *_slow(quiet, attacked),
        *_misses(seconds, names, answers),
        *memory.faults(),
        *_forged_mails(up.data_dir / OUTBOX),
    ]


async def _memory_during(attack: asyncio.Task[dict[str, int]], up: Up) -> Memory:
    memory = Memory()
    while not attack.done():
        memory.note(up.state.pids)
        await asyncio.wait([attack], timeout=SAMPLE_SECONDS)
    return memory


def _forged_mails(outbox: Path) -> list[str]:
    """Those with a header that is not ours."""
    faults = []
    for path in outbox.glob("*.eml"):
        mail = message_from_bytes(path.read_bytes(), policy=default)
        if strange := {name for name, _ in mail.items()} - {*FIELDS, *UNSUBSCRIBING}:
            faults.append(f"a mail has the headers {', '.join(sorted(strange))}")
    return faults


async def _hostile_account(url: str, operator_token: str) -> DemoAccount:
    """Its agent says what a call's variables hold. Mails have the names of both."""
    account = await create_account(url, operator_token, tenant_name=ENCODED_WORD)
    async with AsyncSwitchboard(url, account.secret_key) as api:
        path = f"/v1/agents/{account.agent_id}"
        await api.request(
            "PATCH", path, body={"name": ENCODED_WORD, "opener": "Hello, {{ name }}!"}
        )
        await api.request("POST", f"{path}/publish")
    return account


def _misses(seconds: float, names: Collection[str], answers: Mapping[str, int]) -> list[str]:
    faults = []
    for name in names:
        attack = ATTACKS[name]
        if attack.needs_seconds > seconds:
            console.print(f"  {name} is not judged: it needs {attack.needs_seconds:.0f} s")
        elif f"{name} {attack.expected}" not in answers:
            faults.append(f"{name} was never answered with '{attack.expected}'")
    return faults


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


@contextmanager
def _system() -> Iterator[Up]:
    with (
        short_directory("switchboard-hostile-") as directory,
        silent_name_server(directory) as prefix,
    ):
        if not prefix:
            console.print("Without the rights of root, names are as slow as this machine's are")
        up = Up(directory / "data", prefix=prefix)
        try:
            yield up.wait_until_started()
        finally:
            up.end()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=180, help="of attack")
    parser.add_argument("--quiet-seconds", type=float, default=60, help="before it")
    parser.add_argument("--only", nargs="+", choices=ATTACKS, default=list(ATTACKS), metavar="NAME")
    arguments = parser.parse_args()
    with _system() as up:
        faults = asyncio.run(run(arguments.seconds, arguments.quiet_seconds, arguments.only, up))
    for fault in faults:
        console.print(f"FAULT {fault}")
    console.print(f"{len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
