"""Many calls at once over WebRTC, with the offline models: what callers hear, and what it costs.

    python -m bench.density [--calls 1 4] [--seconds 60]

The callers are on the same machine, in a process of their own; what they cost is shown apart. They
begin 0.7 s after each other. The time that a fixed loop takes tells how fast the machine is.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import time
from multiprocessing.connection import Connection

import numpy as np
import psutil
from rich.console import Console
from rich.table import Table

from bench.density_callers import Heard, callers_process
from bench.machine_speed import fixed_loop_ms
from switchboard.demo.account import agent_body, create_account
from switchboard.state import read_secrets
from switchboard_client import AsyncSwitchboard
from tests.e2e.up import Up
from tests.runtime.media.impaired_network import word_errors
from tests.short_directory import short_directory

QUESTIONS = 60


def curious_agent() -> dict[str, object]:
    """Asks more questions than any caller answers."""
    questions = [{"question": f"What is your answer number {n}?"} for n in range(1, QUESTIONS + 1)]
    return agent_body() | {"playbook": {"qualificationFlow": questions}}


async def prepare(up: Up) -> tuple[str, str]:
    """A secret key and an agent."""
    secrets = read_secrets(up.data_dir)
    assert secrets is not None
    account = await create_account(up.state.api_url, secrets.operator_token)
    async with AsyncSwitchboard(up.state.api_url, account.secret_key) as api:
        agent = await api.agents.create(curious_agent())
        await api.agents.publish(agent.id)
        return account.secret_key, str(agent.id)


async def share_of_wrong_words(url: str, key: str, said: dict[str, list[str]]) -> float:
    wrong = total = 0
    async with AsyncSwitchboard(url, key) as api:
        for call_id, lines in said.items():
            transcript = await api.calls.transcript(call_id)
            heard = " ".join(each.text for each in transcript.segments if each.speaker == "user")
            errors, words = word_errors(" ".join(lines), heard)
            wrong, total = wrong + errors, total + words
    return wrong / max(1, total)


def measure(up: Up, pipe: Connection, calls: int, seconds: float) -> list[str]:
    key, agent_id = asyncio.run(prepare(up))
    worker = psutil.Process(up.state.pids["worker-1"])
    before = sum(worker.cpu_times()[:2])
    pipe.send((up.state.api_url, key, agent_id, calls, seconds))
    heard: Heard = pipe.recv()
    used = sum(worker.cpu_times()[:2]) - before
    time.sleep(3)  # The last events are applied after the calls.
    wrong = asyncio.run(share_of_wrong_words(up.state.api_url, key, heard.said))
    return [
        str(calls),
        _p(heard.first_sample_ms, 50),
        f"{_p(heard.voice_to_voice_ms, 50)} / {_p(heard.voice_to_voice_ms, 95)}",
        str(len(heard.voice_to_voice_ms)),
        _p(heard.gaps_ms, 99),
        f"{wrong:.0%}",
        str(heard.lost),
        f"{used / heard.took_seconds:.0%}",
        f"{heard.processor_seconds / heard.took_seconds:.0%}",
    ]


def _p(values: list[float], percentile: float) -> str:
    return f"{np.percentile(values, percentile):.0f}" if values else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description="Many calls at once over WebRTC")
    parser.add_argument("--calls", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--seconds", type=float, default=60, help="that each caller stays")
    arguments = parser.parse_args()
    console = Console()
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    callers = multiprocessing.get_context("spawn").Process(target=callers_process, args=(theirs,))
    table = Table(
        *("calls", "first sample p50, ms", "voice to voice p50 / p95, ms", "turns"),
        *("gaps p99, ms", "words wrong", "calls lost", "worker's CPU", "callers' CPU"),
    )
    with short_directory("switchboard-density-") as directory:
        environment = {"SWITCHBOARD_SLOTS": str(max(8, *arguments.calls))}
        up = Up(directory / "data", environment=environment)
        try:
            up.wait_until_started()
            callers.start()
            ours.recv()
            for calls in arguments.calls:
                table.add_row(*measure(up, ours, calls, arguments.seconds))
            ours.send(None)
            callers.join()
        finally:
            callers.kill()
            up.end()
    console.print(table)
    console.print(f"A fixed loop took {fixed_loop_ms():.0f} ms. CPU is in shares of a core.")


if __name__ == "__main__":
    main()
