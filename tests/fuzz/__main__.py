"""Hostile input by the million: requests, packets, SDP offers, documents, what a model's tool
calls hold, what carriers send.

python -m tests.fuzz [--only api packets offers documents arguments carriers] [--minutes 15]
[--seed N]
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import secrets
import sys
from collections.abc import Callable
from random import Random

import structlog

from tests.fuzz.api import fuzz_api
from tests.fuzz.carrier_messages import fuzz_carriers
from tests.fuzz.documents import fuzz_documents
from tests.fuzz.offers import fuzz_offers
from tests.fuzz.outcome import Outcome
from tests.fuzz.packets import fuzz_packets
from tests.fuzz.tool_arguments import fuzz_tool_arguments

IN_PROCESS: dict[str, Callable[[Random], Outcome]] = {
    "packets": lambda dice: asyncio.run(fuzz_packets(dice, 1_000_000)),
    "offers": lambda dice: asyncio.run(fuzz_offers(dice, 100_000)),
    "documents": lambda dice: fuzz_documents(dice, 1_000_000),
    "arguments": lambda dice: asyncio.run(fuzz_tool_arguments(dice, 100_000)),
    "carriers": lambda dice: fuzz_carriers(dice, 1_000_000),
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Hostile input by the million")
    parser.add_argument(
        "--only", nargs="+", choices=("api", *IN_PROCESS), default=("api", *IN_PROCESS)
    )
    parser.add_argument("--minutes", type=float, default=15.0, help="for the API")
    parser.add_argument("--seed", type=int, help="repeat a run's choices")
    arguments = parser.parse_args()
    seed = secrets.randbelow(2**32) if arguments.seed is None else arguments.seed
    print(f"Repeat this run with --seed {seed}", flush=True)
    # The logs of a million refusals would hide what is found.
    logging.disable(logging.CRITICAL)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    exit_code = 0
    for name in arguments.only:
        if name == "api":
            exit_code |= fuzz_api(arguments.minutes, seed)
            continue
        outcome = fuzz_in_process(name, seed)
        print(outcome, flush=True)
        exit_code |= bool(outcome.faults)
    return exit_code


def fuzz_in_process(name: str, seed: int) -> Outcome:
    # As in our processes, the garbage collector need not look at what is loaded. With the modules
    # of all processes together that takes 100 ms and more, and counts for whichever input is read.
    gc.collect()
    gc.freeze()
    return IN_PROCESS[name](Random(seed))


if __name__ == "__main__":
    sys.exit(main())
