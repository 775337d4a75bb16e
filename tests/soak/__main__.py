"""Half an hour of calls whose vendors misbehave at random: nothing grows, no process dies, no call
is stuck or ends by itself, no words of an answer come twice, and each switch follows from a fault.
The logs of the processes hold no warning but those of ``log_verdict``.

python -m tests.soak [--minutes 30] [--calls 12] [--seed 1]

So many callers talk at once, each for 90 seconds, and then another one comes. Each answer of a
language model, each connection of a recogniser and of a voice may be refused, hang, break off or be
garbage; another model of the same vendor, and then the local ones, take over.

A run of a minute or two tries the same with shorter calls and more faults. Only whether memory
grows is not judged: so soon, processes still load what they load once.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import psutil
from rich.console import Console

from bench.density.callers_process import Callers, Order, calling
from bench.density.condition import Condition
from bench.density.heard import Heard
from bench.density.installation import installed
from bench.density.row import percentiles
from bench.density.transcripts import Account, Transcripts, new_account, read_transcripts
from bench.vendors.vendors_process import Vendors, serving_vendors
from switchboard_client import AsyncSwitchboard
from switchboard_client.models import CallView
from tests.e2e.up import Up
from tests.logged_warnings import unlogged_lines, warnings_in
from tests.short_directory import short_directory
from tests.soak.log_verdict import unexpected
from tests.soak.verdict import (
    GROWTH_AT_MOST_DESCRIPTORS,
    GROWTH_MINUTES,
    Warned,
    grown,
    restarted,
    said_twice,
    shows_nothing,
    unexplained,
)

SLICE_SECONDS = 60.0
CALL_SECONDS = 90.0
SHORT_CALL_SECONDS = 40.0
SHORT_FAULTS_FACTOR = 3.0
ENDS_WITHIN_SECONDS = 30.0
"""Of the last caller's leaving."""
CALLERS_LEFT = ("participant_disconnected", "normal_hangup")
"""How a call ends that nothing but its caller ended."""
SPARE_MODELS = {
    "stt_fallback_provider": "deepgram",
    "stt_fallback_model": "nova-2",
    "llm_fallback_provider": "openai",
    "llm_fallback_model": "gpt-4.1-nano",
    "tts_fallback_provider": "elevenlabs",
    "tts_fallback_model": "eleven_turbo_v2_5",
}

console = Console(soft_wrap=True)


def soak(up: Up, callers: Callers, vendors: Vendors, calls: int, minutes: int) -> list[str]:
    """One line for each fault of ours."""
    account = asyncio.run(new_account(up, vendors, SPARE_MODELS))
    is_short = minutes < GROWTH_MINUTES
    call_seconds = SHORT_CALL_SECONDS if is_short else CALL_SECONDS
    order = Order(
        account.url, account.key, account.agent_id, calls, minutes, SLICE_SECONDS, call_seconds
    )
    samples_mib: dict[str, list[float]] = defaultdict(list)
    descriptors: dict[str, list[float]] = defaultdict(list)
    processes, faults, answers = [], [], 0
    for minute, heard in enumerate(callers.run(order)):
        if heard is None:
            continue
        processes.append(dict(up.state.pids))
        for name, process in _running(up).items():
            samples_mib[name].append(process.memory_info().rss / 2**20)
            descriptors[name].append(process.num_fds())
        console.print(f"minute {minute}: {_told(heard)}")
        faults += _noticed(minute, heard)
        answers += len(heard.answers)
    callers.said()
    had = vendors.faults()
    records, warnings, transcripts = asyncio.run(_told_by_the_api(account))
    console.print(f"faults of vendors: {dict(Counter(f'{f.provider} {f.kind}' for f in had))}")
    console.print(f"calls: {dict(Counter(f'{r.status} {r.end_reason}' for r in records))}")
    console.print(f"warnings in calls: {len(warnings)}")
    logged = list(warnings_in(up.data_dir))
    console.print(f"warnings in logs: {dict(Counter(each.event for each in logged))}")
    for name, mib in samples_mib.items():
        console.print(f"  memory of {name}: {mib[0]:.0f} MiB, then {mib[-1]:.0f} MiB")
    if is_short:
        console.print(f"whether memory grows is judged from {GROWTH_MINUTES} minutes on")
        samples_mib.clear()
        descriptors.clear()
    return [
        *faults,
        *shows_nothing(answers, had, warnings),
        *restarted(processes),
        *grown(samples_mib),
        *grown(descriptors, GROWTH_AT_MOST_DESCRIPTORS, "open descriptors"),
        *(fault for each in records for fault in _of_call(each, call_seconds)),
        *(f"call {e.call_id}: unexplained: {e.message}" for e in unexplained(warnings, had)),
        *_doubled(transcripts),
        *unexpected(logged, had),
        *(f"not logged: {line}" for line in unlogged_lines(up.data_dir)),
    ]


def _told(heard: Heard) -> str:
    voice_to_voice = percentiles([each.voice_to_voice_ms for each in heard.answers], 50, 95)
    return (
        f"{len(heard.answers)} answers, voice to voice p50 and p95 "
        f"{[round(ms) for ms in voice_to_voice]} ms, "
        f"gaps p99 {[round(ms) for ms in percentiles(heard.gaps_ms, 99)]} ms, "
        f"{heard.refused} refused, {heard.lost} lost, {heard.unanswered} unanswered"
    )


def _noticed(minute: int, heard: Heard) -> list[str]:
    counts = {"refused": heard.refused, "lost": heard.lost, "unanswered": heard.unanswered}
    return [f"minute {minute}: {count} {name}" for name, count in counts.items() if count]


def _of_call(record: CallView, call_seconds: float) -> Iterator[str]:
    if record.ended_at is None:
        yield f"call {record.id} is still {record.status}"
        return
    if record.status != "completed" or record.end_reason not in CALLERS_LEFT:
        yield f"call {record.id} ended by itself: {record.status} {record.end_reason}"
    seconds = (record.ended_at - record.created_at).total_seconds()
    if seconds > call_seconds + ENDS_WITHIN_SECONDS:
        yield f"call {record.id} was stuck: it took {seconds:.0f} s"


def _doubled(transcripts: Transcripts) -> Iterator[str]:
    for call_id, segments in transcripts.segments.items():
        for segment in segments:
            if segment.speaker == "agent" and (twice := said_twice(segment.text)) is not None:
                yield f"call {call_id}: said twice: {twice!r} in {segment.text!r}"


async def _told_by_the_api(
    account: Account,
) -> tuple[Sequence[CallView], list[Warned], Transcripts]:
    async with AsyncSwitchboard(account.url, account.key) as api:
        give_up_at = time.monotonic() + ENDS_WITHIN_SECONDS
        while True:
            records = [each async for each in api.calls.every()]
            if all(each.ended_at for each in records) or time.monotonic() > give_up_at:
                break
            await asyncio.sleep(1.0)
        warnings = [
            Warned(str(record.id), event.message, event.created_at.timestamp())
            for record in records
            async for event in api.calls.every_event(record.id)
            if event.level != "info"
        ]
    return records, warnings, await read_transcripts(account, [str(each.id) for each in records])


def _running(up: Up) -> Mapping[str, psutil.Process]:
    """By name and pid."""
    return {
        f"{name} ({pid})": psutil.Process(pid)
        for name, pid in up.state.pids.items()
        if Path(f"/proc/{pid}").exists()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=int, default=30)
    parser.add_argument("--calls", type=int, default=12, help="at once")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    condition = Condition("cloud", arguments.calls, processes=2)
    faults_factor = SHORT_FAULTS_FACTOR if arguments.minutes < GROWTH_MINUTES else 1.0
    with (
        short_directory("switchboard-soak-") as directory,
        calling() as callers,
        serving_vendors("cloud", arguments.seed, faults_factor) as vendors,
        installed(directory / "data", condition, vendors, None) as installation,
    ):
        faults = soak(installation.up, callers, vendors, arguments.calls, arguments.minutes)
    for fault in faults:
        console.print(f"FAULT {fault}")
    console.print(f"{len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
