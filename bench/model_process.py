"""What the model process saves and costs: memory, the interpreter lock, and latency.

    python -m bench.model_process [--rounds 100]

Each kind of work is done in turns by models in this process and by those of a model process.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import ctypes
import logging
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import structlog
from rich.console import Console
from rich.table import Table

from pipelines.engine.model_process.frames import encoded
from pipelines.engine.model_process.messages import Transcribe
from pipelines.engine.model_process.remote_models import RemoteModels
from pipelines.engine.model_process.socket_path import models_socket
from pipelines.engine.providers.local.loaded_models import load_here
from pipelines.engine.providers.local.speech_models import LocalModels
from tests.pipelines.engine.speech import spoken
from tests.short_directory import short_directory

SENTENCE = "I have had some pain in a tooth on the left side since yesterday."
MEGABYTE = 1 << 20
WORKER = """
import asyncio, gc, sys
from pathlib import Path
import runtime.worker
from livekit.agents.utils import http_context
from runtime.conversation.engine_media import EngineMedia
from pipelines.settings import ProviderSettings

async def work():
    async with http_context.open():
        models_socket = Path(sys.argv[1]) if sys.argv[1:] else None
        media = await EngineMedia.load(ProviderSettings(), None, models_socket)
        gc.collect()
        gc.freeze()
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.read)
        await media.aclose()

asyncio.run(work())
"""
"""A media worker without its link, with its models loaded."""


def megabytes(pid: int) -> tuple[str, str]:
    memory = psutil.Process(pid).memory_full_info()
    return f"{memory.rss / MEGABYTE:.0f}", f"{memory.pss / MEGABYTE:.0f}"


@contextlib.contextmanager
def worker(*socket_path: str) -> Iterator[int]:
    process = subprocess.Popen(
        [sys.executable, "-c", WORKER, *socket_path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin
    assert process.stdout
    while "ready" not in process.stdout.readline():
        pass
    yield process.pid
    process.stdin.close()
    process.wait()


Work = Callable[[LocalModels], Coroutine[Any, Any, object]]


async def all_of(pieces: AsyncIterator[bytes]) -> list[bytes]:
    return [pcm async for pcm in pieces]


def kinds_of_work() -> dict[str, Work]:
    short, long = spoken(SENTENCE), spoken(f"{SENTENCE} {SENTENCE} {SENTENCE}")
    return {
        f"transcribe {len(short) / 16_000:.1f} s": lambda models: models.moonshine.transcribe(
            short
        ),  # type: ignore[union-attr]
        f"transcribe {len(long) / 16_000:.1f} s": lambda models: models.moonshine.transcribe(long),  # type: ignore[union-attr]
        "speak a sentence (Hibari)": lambda models: all_of(
            models.hibari.speak(SENTENCE, locale="en-US")  # type: ignore[union-attr]
        ),
        "speak a sentence (eSpeak)": lambda models: all_of(
            models.espeak.speak(SENTENCE, locale="en-US")  # type: ignore[union-attr]
        ),
        "end of turn": lambda models: models.end_of_turn.predict(short[-19_200:]),  # type: ignore[union-attr]
    }


def hand_over(rounds: int, console: Console) -> None:
    """What a worker's process does with an utterance while it holds the interpreter lock."""
    table = Table("processor time for handing over an utterance", "here", "model process", "ratio")
    for samples in (spoken(SENTENCE), spoken(f"{SENTENCE} {SENTENCE} {SENTENCE}")):
        here, there = [], []
        for _ in range(rounds):
            began = time.thread_time()
            # What MoonshineModel and its library do.
            floats = (samples.astype(np.float32) / 32_768).tolist()
            (ctypes.c_float * len(floats))(*floats)
            here.append(1000 * (time.thread_time() - began))
            began = time.thread_time()
            encoded(Transcribe(id=1).frame(samples.tobytes()))
            there.append(1000 * (time.thread_time() - began))
        inside, outside = statistics.median(here), statistics.median(there)
        seconds = len(samples) / 16_000
        table.add_row(
            f"{seconds:.1f} s", f"{inside:.2f} ms", f"{outside:.2f} ms", f"{outside / inside:.3f}"
        )
    console.print(table)


async def compare(socket_path: Path, rounds: int, console: Console) -> None:
    here, there = await load_here(), await RemoteModels.connect(socket_path)
    latencies = Table("median of one piece of work", "in this process", "model process", "ratio")
    for name, work in kinds_of_work().items():
        took_ms: dict[int, list[float]] = {0: [], 1: []}
        for _ in range(rounds):
            for number, models in enumerate((here, there)):
                began = time.perf_counter()
                await work(models)
                took_ms[number].append(1000 * (time.perf_counter() - began))
        inside, outside = (statistics.median(took_ms[number]) for number in (0, 1))
        latencies.add_row(name, f"{inside:.1f} ms", f"{outside:.1f} ms", f"{outside / inside:.2f}")
    console.print(latencies)
    await here.aclose()
    await there.aclose()


def weigh(model_process: int, socket_path: Path, console: Console) -> None:
    table = Table("memory in MB", "RSS", "PSS")
    with worker() as first, worker() as second:
        table.add_row("worker that loads the models", *megabytes(first))
        table.add_row("another one", *megabytes(second))
    with worker(str(socket_path)) as first, worker(str(socket_path)) as second:
        table.add_row("worker with a model process", *megabytes(first))
        table.add_row("another one", *megabytes(second))
        table.add_row("the model process", *megabytes(model_process))
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description="What the model process saves and costs")
    parser.add_argument("--rounds", type=int, default=100)
    rounds = parser.parse_args().rounds
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    console = Console()
    hand_over(rounds, console)
    with short_directory("switchboard-models-") as directory:
        process = subprocess.Popen(
            [sys.executable, "-m", "switchboard", "models", "--data-dir", str(directory)]
        )
        try:
            asyncio.run(compare(models_socket(directory), rounds, console))
            weigh(process.pid, models_socket(directory), console)
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    main()
