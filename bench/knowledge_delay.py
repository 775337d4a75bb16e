"""How much later an agent answers because it looks knowledge up first, with offline models.

    python -m bench.knowledge_delay [--calls 15]

Calls without sources and calls with them take turns, with audio in memory. In each, the caller says
one sentence after the greeting, which the agent answers in the same words in both. The latency runs
from the caller's last audible 20 ms to the agent's first. The sources are the English documents of
``tests/knowledge/quality``, which has to be there.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import statistics
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.machine_speed import fixed_loop_ms
from bench.turn_latency import AGENT
from contracts.call_plan import CallPlan
from knowledge.chunking import passages_of
from knowledge.embedding.embedder import Embedder, EmbeddingSettings
from pipelines.engine.knowledge.shelf import Shelf
from pipelines.engine.shared_models import WarmModels, load_models
from pipelines.settings import ProviderSettings
from tests.knowledge.quality.recall import rows
from tests.pipelines.conversations import conversation
from tests.pipelines.engine.knowledge.sources import stored
from tests.pipelines.engine.speech import spoken
from tests.pipelines.plans import call_plan

SENTENCE = "I would like to book an appointment."
CALLS = 15


async def first_answer_ms(plan: CallPlan, models: WarmModels) -> tuple[float, bool]:
    """The latency, and whether anything was looked up."""
    async with conversation(plan, models) as call:
        began_at = time.monotonic()
        await call.conversation.greet()
        await call.audio.agent_starts(began_at)
        await call.audio.agent_finishes()
        await asyncio.sleep(0.4)
        seconds = await call.caller_says(SENTENCE)
        return seconds * 1000, any("looked up" in text for _, text in call.actions.lines)


async def measure(calls: int) -> None:
    spoken(SENTENCE)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "objects"
        shelf = Shelf(store.as_uri(), Path(folder) / "copies", Embedder(EmbeddingSettings()))
        models = await load_models(ProviderSettings(), shelf=shelf)
        without = call_plan(AGENT)
        source = stored(store, without.tenant_id, *_passages())
        looking_up = without.model_copy(update={"knowledge": (source,)})
        await shelf.fetch(looking_up)
        latencies: dict[bool, list[float]] = {False: [], True: []}
        for number in range(2 * calls):
            plan = looking_up if number % 2 else without
            milliseconds, has_looked_up = await first_answer_ms(plan, models)
            if has_looked_up is not bool(number % 2):
                raise RuntimeError("a call with sources looks up, and only that one")
            latencies[has_looked_up].append(milliseconds)
        await models.aclose()
    _print(latencies)


def _passages() -> list[str]:
    documents = rows("documents", "en")
    return [
        passage.searched
        for document in documents
        for passage in passages_of(document["text"], document["title"])
    ]


def _print(latencies: dict[bool, list[float]]) -> None:
    console = Console()
    table = Table("first answer", "calls", "p50 ms", title=f"fixed loop {fixed_loop_ms():.0f} ms")
    medians = {looks_up: statistics.median(each) for looks_up, each in latencies.items()}
    for looks_up, name in ((False, "without sources"), (True, "looked up")):
        table.add_row(name, str(len(latencies[looks_up])), f"{medians[looks_up]:.0f}")
    console.print(table)
    console.print(f"Looking up costs {medians[True] - medians[False]:+.0f} ms (p50).")


def main() -> None:
    parser = argparse.ArgumentParser(description="What looking knowledge up costs the first answer")
    parser.add_argument("--calls", type=int, default=CALLS, help="of each kind")
    options = parser.parse_args()
    logging.getLogger("livekit").setLevel(logging.ERROR)
    asyncio.run(measure(options.calls))


if __name__ == "__main__":
    main()
