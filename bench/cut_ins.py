"""How often the agent speaks into a caller's second sentence, with offline models in virtual time.

    python -m bench.cut_ins [--lines] [--every 1] [--real-time]

The lines are those of ``bench/caller_lines.toml``: two sentences with a pause of 300 to 900 ms
between them, and single sentences as controls. Each is said in a call of its own, in answer to the
agent's greeting, by the voice of the tests; the whole engine runs as in a call. Times are virtual:
only models take time, as long as on a quiet core (``tests/pipelines/virtual_calls.py``). With
``--real-time`` the same is spoken and computed at the speed of this machine.

A cut-in is an agent that is heard for more than 120 ms of the second sentence. Shorter overlaps are
not perceived as such (Heldner, "Detection thresholds for gaps, overlaps, and no-gap-no-overlaps",
JASA 130, 2011).

| column | says |
|---|---|
| overlap | ms of the agent in the second sentence |
| most words | of the agent in a second sentence, at 2.7 a second |
| false starts | the agent began in the pause; heard there for so many ms, of those |
| latency | ms from the caller's last sound to the agent's first, after single sentences |
| after two | the same after second sentences |
| lost | lines of which most words of a sentence did not arrive |
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from unittest.mock import patch

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.caller_lines import CallerLine, caller_lines
from contracts.agent_config import AgentConfig
from pipelines.engine import barge_in, call_agent, endpointing
from pipelines.engine.barge_in import BargeIn
from pipelines.engine.shared_models import WarmModels, load_models
from pipelines.settings import ProviderSettings
from tests.pipelines.conversations import conversation, words
from tests.pipelines.engine.audio_loop import INPUT_HZ, TICK_SECONDS
from tests.pipelines.engine.speech import spoken
from tests.pipelines.plans import call_plan
from tests.pipelines.virtual_calls import OnQuietCore, run

_PERCEIVED_MS = 120
_WORDS_PER_SECOND = 2.7
"""Of our voice: 15 characters a second."""
_ENOUGH_WORDS = 0.6
_COLUMNS = (
    "cut-ins",
    "%",
    "overlap p50 / p95",
    "most words",
    "false starts",
    "in pause p50 / p95",
    "latency p50 / p95",
    "after two p50 / p95",
    "lost",
)


@dataclass(frozen=True)
class Heard:
    """What came of one line."""

    line: CallerLine
    overlap_ms: int
    """How much of the agent was heard in the second sentence."""
    in_pause_ms: int
    """The same in the pause: a false start."""
    latency_ms: int
    """From the caller's last sound to the agent's next."""
    transcript: str
    """All that the agent understood."""

    @property
    def is_cut_in(self) -> bool:
        return self.overlap_ms > _PERCEIVED_MS

    @property
    def is_lost(self) -> bool:
        """Most words of a sentence did not arrive."""
        heard = set(words(self.transcript))
        sentences = [words(text) for text in (self.line.first, self.line.then) if text]
        return any(len(heard & set(said)) < _ENOUGH_WORDS * len(set(said)) for said in sentences)


def _ms_of(heard_at: Sequence[float]) -> int:
    return round(len(heard_at) * TICK_SECONDS * 1000)


@contextlib.contextmanager
def nothing_done_for_pauses() -> Iterator[None]:
    """As if the rules for callers who go on after a pause did not exist."""
    with (
        patch.object(BargeIn, "goes_on", False),
        patch.object(barge_in, "_PAUSE_WINDOWS", -1),
        patch.object(endpointing, "is_preface", lambda *_: False),
        patch.object(call_agent, "without_false_starts", lambda history, _: history),
    ):
        yield


async def hear(line: CallerLine, models: WarmModels) -> Heard:
    agent = AgentConfig.model_validate(
        {
            "name": "Mia",
            "persona": {"companyName": f"our {line.business}"},
            "playbook": {
                "opener": line.asks,
                "qualificationFlow": [
                    {"question": "What else would you like to tell me about it?"},
                    {"question": "Is there anything that we should know?"},
                ],
            },
        }
    )
    first = spoken(line.first)
    pause = np.zeros(INPUT_HZ * line.pause_ms // 1000, np.int16)
    then = pause[:0] if line.then is None else spoken(line.then)
    async with conversation(call_plan(agent), models) as call:
        audio = call.audio
        await call.conversation.greet()
        await audio.agent_starts(0.0)
        await audio.agent_finishes()
        await asyncio.sleep(0.5)
        began_at = asyncio.get_running_loop().time()
        audio.mouth.say(np.concatenate([first, pause, then]) if then.size else first)
        ended_at = await audio.caller_finishes()
        await audio.agent_starts(ended_at)
        goes_on_at = began_at + (first.size + pause.size) / INPUT_HZ
        heard_at = [at for at in audio.ear.heard_at if at > began_at]
        overlapping = [at for at in heard_at if then.size and goes_on_at <= at <= ended_at]
        return Heard(
            line=line,
            overlap_ms=_ms_of(overlapping),
            in_pause_ms=_ms_of([at for at in heard_at if then.size and at < goes_on_at]),
            latency_ms=round((min(at for at in heard_at if at > ended_at) - ended_at) * 1000),
            transcript=" ".join(call.said_by("user")),
        )


async def measure(
    lines: Sequence[CallerLine], *, on_quiet_core: bool
) -> tuple[list[Heard], list[Heard]]:
    """Before and after."""
    models = await load_models(ProviderSettings())
    if on_quiet_core:
        models = replace(models, local=OnQuietCore(models.local, {}))
    with nothing_done_for_pauses():
        before = [await hear(line, models) for line in lines]
    after = [await hear(line, models) for line in lines]
    await models.aclose()
    return before, after


def row(heard: Sequence[Heard]) -> list[str]:
    two = [each for each in heard if each.line.then]
    one = [each.latency_ms for each in heard if not each.line.then]
    false_starts = [each for each in two if each.in_pause_ms]
    return [
        f"{sum(each.is_cut_in for each in two)} of {len(two)}",
        f"{sum(each.is_cut_in for each in two) / len(two):.0%}",
        _percentiles([each.overlap_ms for each in two]),
        f"{max((each.overlap_ms for each in two), default=0) / 1000 * _WORDS_PER_SECOND:.1f}",
        f"{len(false_starts) / len(two):.0%}",
        _percentiles([each.in_pause_ms for each in false_starts]),
        _percentiles(one),
        _percentiles([each.latency_ms for each in two]),
        str(sum(each.is_lost for each in heard)),
    ]


def _percentiles(values_ms: Sequence[int]) -> str:
    if len(values_ms) < 2:
        return "-"
    cuts = statistics.quantiles(values_ms, n=20, method="inclusive")
    return f"{cuts[9]:.0f} / {cuts[18]:.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description="How often the agent cuts in")
    parser.add_argument("--every", type=int, default=1, help="only each nth line")
    parser.add_argument("--lines", action="store_true", help="also what came of each line")
    parser.add_argument("--real-time", action="store_true", help="on this machine, as it is")
    options = parser.parse_args()
    logging.getLogger("livekit").setLevel(logging.ERROR)
    lines = caller_lines()[:: options.every]
    if options.real_time:
        before, after = asyncio.run(measure(lines, on_quiet_core=False))
    else:
        before, after = run(lambda: measure(lines, on_quiet_core=True))
    console = Console()
    table = Table("", *_COLUMNS)
    table.add_row("before", *row(before))
    table.add_row("after", *row(after))
    console.print(table)
    if options.lines:
        for was, now in zip(before, after, strict=True):
            line = now.line
            pause = f"{line.pause_ms} ms" if line.then else "-"
            console.print(
                f"{pause:>6}: overlap {was.overlap_ms:>4} → {now.overlap_ms:>4},"
                f" latency {was.latency_ms:>4} → {now.latency_ms:>4}"
                f" | {line.first} / {line.then or ''} | {now.transcript}",
                highlight=False,
            )


if __name__ == "__main__":
    main()
