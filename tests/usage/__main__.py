"""Whether the usage that calls report is what vendors would charge for.

python -m tests.usage [--calls 200] [--at-once 8] [--seed 1]

Each call has three turns with vendors that count, and barge-ins and faults at random. Every tenth
one has a realtime model, without faults.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections.abc import Sequence
from dataclasses import fields

import pytest
from rich.console import Console
from rich.table import Table

from pipelines.engine.providers import registry
from pipelines.engine.providers.openai import OPENAI
from pipelines.engine.providers.spec import ProviderSpec
from pipelines.engine.shared_models import load_models
from pipelines.settings import ProviderSettings
from tests.usage.counted_call import CountedCall, counted_call
from tests.usage.counted_realtime_call import counted_realtime_call
from tests.usage.vendors import Totals

MOST_APART = 0.01
REALTIME_EVERY = 10

console = Console(soft_wrap=True)


async def run(calls: int, at_once: int, seed: int) -> list[CountedCall]:
    models = await load_models(ProviderSettings())
    free = asyncio.Semaphore(at_once)
    done = 0

    async def one(number: int) -> CountedCall:
        nonlocal done
        async with free:
            chance = random.Random(seed * 1_000_000 + number)
            is_realtime = number % REALTIME_EVERY == REALTIME_EVERY - 1
            call = counted_realtime_call if is_realtime else counted_call
            counted = await call(models, chance)
        done += 1
        if done % 10 == 0:
            console.print(f"{done} of {calls} calls")
        return counted

    try:
        return list(await asyncio.gather(*(one(number) for number in range(calls))))
    finally:
        await models.aclose()


def apart(counted: Sequence[CountedCall]) -> dict[str, tuple[int, int, float]]:
    """Reported, charged, and the difference as a share of what was charged."""
    rows = {}
    for name in (field.name for field in fields(Totals)):
        reported = sum(getattr(each.reported, name) for each in counted)
        charged = sum(getattr(each.charged, name) for each in counted)
        rows[name] = (reported, charged, (reported - charged) / max(1, charged))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--at-once", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    spare = ProviderSpec(name="spare", llm=OPENAI.llm)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "PROVIDERS", (*registry.PROVIDERS, spare))
        counted = asyncio.run(run(arguments.calls, arguments.at_once, arguments.seed))
    table = Table("used", "reported", "charged", "apart")
    rows = apart(counted)
    for name, (reported, charged, share) in rows.items():
        table.add_row(name, f"{reported:,}", f"{charged:,}", f"{share:+.2%}")
    console.print(table)
    sys.exit(any(abs(share) > MOST_APART for _, _, share in rows.values()))


if __name__ == "__main__":
    main()
