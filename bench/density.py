"""Many calls at once over WebRTC: what callers hear, and what it costs.

    python -m bench.density [--calls 1 4] [--vendors offline] [--seconds 60] [--processes 2]

The vendors are the offline models, or stand-ins for cloud vendors (``bench.vendors``), at once or
after delays like those of the cloud. Stand-ins do not understand what is said, so there is no share
of wrong words. The callers are on the same machine, in a process of their own, and so are the
stand-ins; what they cost is shown apart. The callers begin 0.7 s after each other. The time that a
fixed loop takes tells how fast the machine is.
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
from bench.vendors.delays import DELAYS
from bench.vendors.vendors_process import Vendors, serving_vendors, stack_fields
from switchboard.demo.account import agent_body, create_account
from switchboard.state import read_secrets
from switchboard_client import AsyncSwitchboard
from tests.e2e.up import Up
from tests.runtime.media.impaired_network import word_errors
from tests.short_directory import short_directory

QUESTIONS = 60


def curious_agent(vendors: Vendors | None) -> dict[str, object]:
    """Asks more questions than any caller answers."""
    questions = [{"question": f"What is your answer number {n}?"} for n in range(1, QUESTIONS + 1)]
    body = agent_body() | {"playbook": {"qualificationFlow": questions}}
    return body | ({} if vendors is None else stack_fields())


async def prepare(up: Up, vendors: Vendors | None) -> tuple[str, str]:
    """A secret key and an agent."""
    secrets = read_secrets(up.data_dir)
    assert secrets is not None
    account = await create_account(up.state.api_url, secrets.operator_token)
    async with AsyncSwitchboard(up.state.api_url, account.secret_key) as api:
        agent = await api.agents.create(curious_agent(vendors))
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


def measure(
    up: Up, pipe: Connection, calls: int, seconds: float, vendors: Vendors | None
) -> list[str]:
    key, agent_id = asyncio.run(prepare(up, vendors))
    workers_before, models_before = used_seconds(up, "worker-"), used_seconds(up, "models")
    vendors_before = vendors.used_seconds() if vendors else 0.0
    pipe.send((up.state.api_url, key, agent_id, calls, seconds))
    heard: Heard = pipe.recv()
    by_workers = used_seconds(up, "worker-") - workers_before
    by_models = used_seconds(up, "models") - models_before
    by_vendors = vendors.used_seconds() - vendors_before if vendors else 0.0
    time.sleep(3)  # The last events are applied after the calls.
    wrong = asyncio.run(share_of_wrong_words(up.state.api_url, key, heard.said))
    return [
        str(calls),
        _p(heard.first_sample_ms, 50),
        f"{_p(heard.voice_to_voice_ms, 50)} / {_p(heard.voice_to_voice_ms, 95)}",
        str(len(heard.voice_to_voice_ms)),
        _p(heard.gaps_ms, 99),
        "-" if vendors else f"{wrong:.0%}",
        f"{heard.refused} / {heard.lost}",
        f"{by_workers / heard.took_seconds:.0%}",
        f"{by_models / heard.took_seconds:.0%}",
        f"{heard.processor_seconds / heard.took_seconds:.0%}",
        f"{by_vendors / heard.took_seconds:.0%}" if vendors else "-",
    ]


def used_seconds(up: Up, name: str) -> float:
    """Of the processor, by all processes whose names begin like that."""
    pids = [pid for process, pid in up.state.pids.items() if process.startswith(name)]
    return sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid in pids)


def _p(values: list[float], percentile: float) -> str:
    return f"{np.percentile(values, percentile):.0f}" if values else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description="Many calls at once over WebRTC")
    parser.add_argument("--calls", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--vendors", choices=["offline", *DELAYS], default="offline")
    parser.add_argument("--seconds", type=float, default=60, help="that each caller stays")
    parser.add_argument("--processes", type=int, default=2, help="of the media worker")
    arguments = parser.parse_args()
    sizes = (arguments.calls, arguments.seconds, arguments.processes)
    if arguments.vendors == "offline":
        table = measured_table(*sizes, None)
    else:
        with serving_vendors(arguments.vendors) as vendors:
            table = measured_table(*sizes, vendors)
    table.title = f"vendors: {arguments.vendors}, worker processes: {arguments.processes}"
    console = Console()
    console.print(table)
    console.print(f"A fixed loop took {fixed_loop_ms():.0f} ms. CPU is in shares of a core.")


def measured_table(
    rows: list[int], seconds: float, processes: int, vendors: Vendors | None
) -> Table:
    """One row for each number of calls, all in one installation."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    callers = multiprocessing.get_context("spawn").Process(target=callers_process, args=(theirs,))
    table = Table(
        *("calls", "first sample p50, ms", "voice to voice p50 / p95, ms", "turns"),
        *("gaps p99, ms", "words wrong", "refused / lost"),
        *("workers' CPU", "models' CPU", "callers' CPU", "vendors' CPU"),
    )
    with short_directory("switchboard-density-") as directory:
        environment = {
            "SWITCHBOARD_SLOTS": str(max(8, *rows)),
            "SWITCHBOARD_WORKER_PROCESSES": str(processes),
        } | settings_for(vendors)
        up = Up(directory / "data", environment=environment)
        try:
            up.wait_until_started()
            callers.start()
            ours.recv()
            for calls in rows:
                table.add_row(*measure(up, ours, calls, seconds, vendors))
            ours.send(None)
            callers.join()
        finally:
            callers.kill()
            up.end()
    return table


def settings_for(vendors: Vendors | None) -> dict[str, str]:
    """Keys and addresses of the vendors, as an operator would set them."""
    settings: dict[str, str] = {}
    for provider, address in (vendors.base_urls if vendors else {}).items():
        settings[f"SWITCHBOARD_{provider.upper()}_BASE_URL"] = address
        settings[f"SWITCHBOARD_{provider.upper()}_API_KEY"] = "bench"
    return settings


if __name__ == "__main__":
    main()
