"""Our conversation beside bare livekit-agents and Pipecat: the same turns, vendors and callers.

    python -m bench.versus [--calls 1 10 20] [--systems ours bare pipecat] [--vendors cloud]

Every row is a new process with all its calls, and the systems take turns. The callers are the same
code in each (``bench.memory_caller``), with sound in memory, and the vendors are one process of
their own (``bench.vendors``). What runs:

- ``ours``: as in ``bench.density_memory``. More than the others do: it mixes a room, resamples to
  and from the leg's 48 kHz, follows which words were heard, writes a transcript and a journal,
  shapes what is said, gives the model a tool, and adapts the end of a turn to the words.
- ``bare``: an ``AgentSession`` of livekit-agents alone (``bench.bare_calls``). It has the same
  vendors' plugins, voice activity and end of turn detection with their defaults. ``bare, in step``
  also follows which words were heard, as it does by default in a LiveKit room.
- ``pipecat``: a pipeline of Pipecat with its own services, Silero and Smart Turn
  (``bench.pipecat_calls``), in an environment of its own, which the first run makes.

All calls of a row share one process. A system that cannot follow so many falls behind its callers:
then it answers late and less often, for less CPU than the same turns would take. So look at the
turns beside the CPU.

No row has a network leg. CPU is the process's processor time without its callers, in shares of a
core; the vendors' process is not in it. Lateness is when a frame reaches the caller, against the
earliest frame of the same call. Voice to voice depends on each system's own rules for the end of a
turn, and on how much of an answer it waits for before it speaks.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from livekit import rtc
from rich.console import Console
from rich.table import Table

from bench.bare_calls import HEARD_HZ, bare_in_step_process, bare_process
from bench.density_memory import LINES
from bench.machine_speed import fixed_loop_ms
from bench.measured_calls import Measured, Order
from bench.memory_process import call_plan_of, process_under_test
from bench.pipecat_environment import pipecat_python
from bench.vendors.delays import DELAYS
from bench.vendors.vendors_process import STACK, serving_vendors
from runtime.media.room import Samples
from switchboard.caller.speech_models import Voice

_LEG_HZ = 48_000

System = Callable[[Order], Measured]


@dataclass(frozen=True)
class Child:
    """A system that runs in a child of this process."""

    target: Callable[[Connection], None]

    def __call__(self, order: Order) -> Measured:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=self.target, args=(theirs,))
        process.start()
        theirs.close()
        try:
            ours.send(order)
            measured: Measured = ours.recv()
            return measured
        finally:
            process.kill()
            process.join()


@dataclass(frozen=True)
class Pipecat:
    """Pipecat in its own environment. The lines are files of 16-bit samples."""

    python: Path

    def __call__(self, order: Order) -> Measured:
        with tempfile.TemporaryDirectory(prefix="bench-lines-") as folder:
            paths = []
            for number, line in enumerate(order.lines):
                path = Path(folder) / f"{number}.pcm"
                path.write_bytes(line.tobytes())
                paths.append(str(path))
            asked = {
                "calls": order.calls,
                "seconds": order.seconds,
                "base_urls": order.base_urls,
                "lines": paths,
                "prompt": order.prompt,
                "stt_model": STACK.stt.primary.model,
                "llm_model": STACK.llm.primary.model,
                "tts_model": STACK.tts.primary.model,
                "voice": STACK.tts.primary.voice,
            }
            done = subprocess.run(
                [self.python, "-m", "bench.pipecat_calls"],
                cwd=Path(__file__).parents[1],
                input=json.dumps(asked) + "\n",
                stdout=subprocess.PIPE,
                env=os.environ | {"LOGURU_LEVEL": "ERROR"},
                text=True,
                check=True,
            )
        return Measured(**json.loads(done.stdout))


def row(system: str, calls: int, measured: Measured) -> list[str]:
    took = measured.took_seconds
    own = measured.used_seconds - measured.callers_seconds
    return [
        str(calls),
        system,
        f"{own / took / calls:.2%}",
        f"{measured.loop_seconds / took:.0%}",
        _percentile(measured.lateness_ms, 99, 1),
        _percentile(measured.voice_to_voice_ms, 50),
        _percentile(measured.voice_to_voice_ms, 95),
        str(len(measured.voice_to_voice_ms)),
        str(measured.unanswered + len(measured.failures)),
        f"{measured.memory_mb / calls:.1f}",
        f"{measured.callers_seconds / took / calls:.2%}",
        f"{fixed_loop_ms():.0f}",
    ]


def _percentile(values: Sequence[float], percentile: float, digits: int = 0) -> str:
    return f"{np.percentile(values, percentile):.{digits}f}" if values else "-"


def lines_at(hz: int, spoken: Sequence[Samples]) -> list[Samples]:
    """``spoken`` is at 48 kHz, of which ``hz`` is a whole part."""
    if hz == _LEG_HZ:
        return list(spoken)
    lines = []
    for line in spoken:
        resampler = rtc.AudioResampler(_LEG_HZ, hz)
        frames = [
            *resampler.push(rtc.AudioFrame(line.tobytes(), _LEG_HZ, 1, line.size)),
            *resampler.flush(),
        ]
        lines.append(np.concatenate([np.frombuffer(frame.data, np.int16) for frame in frames]))
    return lines


def systems(names: Sequence[str]) -> Mapping[str, tuple[System, int]]:
    """The systems of these names, and the rate at which each one's callers speak."""
    known: dict[str, Callable[[], tuple[System, int]]] = {
        "ours": lambda: (Child(process_under_test), _LEG_HZ),
        "bare": lambda: (Child(bare_process), HEARD_HZ),
        "bare, in step": lambda: (Child(bare_in_step_process), HEARD_HZ),
        "pipecat": lambda: (Pipecat(pipecat_python()), HEARD_HZ),
    }
    return {name: known[name]() for name in names}


SYSTEMS = ("ours", "bare", "bare, in step", "pipecat")


def main() -> None:
    parser = argparse.ArgumentParser(description="Our conversation, bare livekit-agents, Pipecat")
    parser.add_argument("--calls", type=int, nargs="+", default=[1, 10, 20])
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--vendors", choices=list(DELAYS), default="cloud")
    parser.add_argument("--seconds", type=float, default=30, help="that are measured")
    parser.add_argument("--runs", type=int, default=1, help="of each row")
    arguments = parser.parse_args()
    voice = Voice()
    spoken = [voice.speak(text).audio for text in LINES]
    compared = systems(arguments.systems)
    prompt = call_plan_of(0).compiled_prompt
    table = Table(
        *("calls", "system", "CPU a call", "loop", "late p99, ms"),
        *("voice to voice p50, ms", "p95, ms", "turns", "failed", "MB a call"),
        *("a caller's CPU", "fixed loop, ms"),
        title=f"{arguments.vendors} vendors, {arguments.seconds:.0f} s a row",
    )
    with serving_vendors(arguments.vendors) as vendors:
        for calls in arguments.calls * arguments.runs:
            for name, (system, hz) in compared.items():
                lines = lines_at(hz, spoken)
                measured = system(Order(calls, arguments.seconds, vendors.base_urls, lines, prompt))
                figures = row(name, calls, measured)
                table.add_row(*figures)
                print(*figures, sep=" | ", flush=True)
                for failure in measured.failures[:3]:
                    print(f"{name}: {failure}")
    Console(width=160).print(table)
    print("CPU is in shares of a core, without the callers.")


if __name__ == "__main__":
    main()
