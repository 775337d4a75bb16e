"""Many conversations in one process, with audio in memory and stand-ins for cloud vendors.

    python -m bench.density_memory [--calls 1 10 20] [--vendors cloud] [--seconds 30] [--one-core]

Everything of a call is real except for its leg and its vendors: mixing, pacing, voice activity, end
of turn, the engine with the vendors' own plugins, the transcript and the journal. A caller speaks
and listens in turn; it reads and writes frames in memory, and its cost is shown apart. The vendors
are a process of their own on this machine and answer in their wire formats (Deepgram, OpenAI,
ElevenLabs), at once or after delays like those of the cloud.

Each row is a new process. Lateness is when a frame reaches its leg, against the earliest frame of
the same call. Ours is what is left of voice to voice after the longer of two: the engine's wait for
the end of the turn, and the vendors' delays until the first sentence sounds (they run meanwhile).

With ``--one-core``, conversations and callers share one core, and the vendors have the others. Then
the p99 of the lateness may be 20 ms, a call may hold 10 MB, and every turn must be answered. Exits
with 1 if one of these is missed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.limits import Figure, judge
from bench.machine_speed import fixed_loop_ms
from bench.measured_calls import Measured, Order
from bench.memory_process import process_under_test
from bench.vendors.delays import DELAYS, Speed
from bench.vendors.openai_chat import FIRST_SENTENCE_WORDS
from bench.vendors.vendors_process import Vendors, serving_vendors
from runtime.media.room import Samples
from switchboard.caller.speech_models import Voice

LINES = (
    "I would like to book an appointment, because I have had some pain on the left side.",
    "My name is Anna Miller, and I have not been to your practice before today.",
    "Next Tuesday at half past three in the afternoon would be fine for me.",
    "No, I do not take any medicine, and I am not allergic to anything at all.",
)
MOST_LATENESS_P99_MS = 20.0
MOST_MB_A_CALL = 10.0


def vendors_delay_ms(speed: Speed) -> float:
    """From the caller's last sound to the first byte of the answer, if nothing else took time.

    The voice begins when the first sentence is whole, which the next word tells."""
    delays = DELAYS[speed]
    sentence_seconds = (FIRST_SENTENCE_WORDS + 1) * delays.token_seconds
    waits = (delays.final_seconds, delays.first_token_seconds, delays.first_byte_seconds)
    return (sum(waits) + sentence_seconds) * 1000


def measure(
    calls: int, seconds: float, vendors: Vendors, lines: list[Samples], *, on_one_core: bool
) -> tuple[Measured, float]:
    """What a new process measured, and the vendors' processor time meanwhile, in seconds."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=process_under_test, args=(theirs,))
    process.start()
    if on_one_core and process.pid is not None:
        core, *others = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(process.pid, {core})
        os.sched_setaffinity(vendors.pid, others or {core})
    try:
        ours.send(Order(calls, seconds, vendors.base_urls, lines))
        before = vendors.used_seconds()
        measured: Measured = ours.recv()
        return measured, vendors.used_seconds() - before
    finally:
        process.kill()
        process.join()


def figures(calls: int, measured: Measured) -> list[Figure]:
    """What is judged when the calls have one core."""
    late_ms = np.percentile(measured.lateness_ms, 99) if measured.lateness_ms else np.nan
    missing = measured.unanswered + len(measured.failures)
    return [
        Figure(f"{calls} calls: late p99", float(late_ms), MOST_LATENESS_P99_MS, " ms"),
        Figure(f"{calls} calls: memory of each", measured.memory_mb / calls, MOST_MB_A_CALL, " MB"),
        Figure(f"{calls} calls: turns not answered, failures", missing, 0),
    ]


def row(calls: int, speed: Speed, measured: Measured, vendors_seconds: float) -> list[str]:
    took = measured.took_seconds
    own = measured.used_seconds - measured.callers_seconds
    waited = max(vendors_delay_ms(speed), float(np.median(measured.end_of_turn_ms or [0])))
    ours = [each - waited for each in measured.voice_to_voice_ms]
    return [
        str(calls),
        speed,
        f"{own / took / calls:.2%}",
        f"{own / took:.0%}",
        f"{measured.loop_seconds / took:.0%}",
        f"{_p(measured.lateness_ms, 50, 1)} / {_p(measured.lateness_ms, 99, 1)}",
        f"{_p(measured.voice_to_voice_ms, 50)} / {_p(measured.voice_to_voice_ms, 95)}",
        _p(measured.end_of_turn_ms, 50),
        f"{_p(ours, 50)} / {_p(ours, 95)}",
        str(len(measured.voice_to_voice_ms)),
        str(measured.unanswered + len(measured.failures)),
        f"{measured.memory_mb / calls:.1f}",
        f"{measured.spoken_share:.0%}",
        f"{measured.callers_seconds / took:.1%}",
        f"{vendors_seconds / took:.0%}",
        f"{fixed_loop_ms():.0f}",
    ]


def _p(values: list[float], percentile: float, digits: int = 0) -> str:
    return f"{np.percentile(values, percentile):.{digits}f}" if values else "-"


def main() -> int:
    parser = argparse.ArgumentParser(description="Many conversations in one process")
    parser.add_argument("--calls", type=int, nargs="+", default=[1, 10, 20])
    parser.add_argument("--vendors", nargs="+", choices=list(DELAYS), default=["cloud"])
    parser.add_argument("--seconds", type=float, default=30, help="that are measured")
    parser.add_argument("--runs", type=int, default=1, help="of each row")
    parser.add_argument("--one-core", action="store_true", help="for all calls of a row")
    arguments = parser.parse_args()
    voice = Voice()
    lines = [voice.speak(text).audio for text in LINES]
    table = Table(
        *("calls", "vendors", "CPU a call", "CPU", "loop", "late p50 / p99, ms"),
        *("voice to voice p50 / p95, ms", "end of turn p50", "ours p50 / p95, ms", "turns"),
        *("failed", "MB a call", "speech", "callers' CPU", "vendors' CPU", "fixed loop, ms"),
    )
    judged: list[Figure] = []
    for speed in arguments.vendors:
        with serving_vendors(speed) as vendors:
            for calls in arguments.calls * arguments.runs:
                measured, used = measure(
                    calls, arguments.seconds, vendors, lines, on_one_core=arguments.one_core
                )
                judged += figures(calls, measured)
                table.add_row(*row(calls, speed, measured, used))
                for failure in measured.failures[:3]:
                    print(failure)
    console = Console(width=200)
    console.print(table)
    console.print("CPU is in shares of a core, without the callers.")
    return judge(judged, console) if arguments.one_core else 0


if __name__ == "__main__":
    sys.exit(main())
