"""Webhooks in a storm: killed processes, a stopped database, endpoints that hang.

python -m tests.webhook_storm [--facts 10000] [--kills 20] [--outage 20]
"""

from __future__ import annotations

import argparse
import asyncio
import sys

from rich.console import Console

from tests.webhook_storm.storm import Plan, storm

MOST_REPEATED = 0.005
MOST_LATE_MS = 2000.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--facts", type=int, default=10_000)
    parser.add_argument("--facts-a-second", type=float, default=25.0)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--outage", type=float, default=20.0, help="seconds")
    given = parser.parse_args()
    plan = Plan(given.facts, given.facts_a_second, given.kills, given.outage)
    outcome = asyncio.run(storm(plan))
    console = Console()
    console.print(
        f"{outcome.facts:,} events, {outcome.kills} kills, {plan.outage_seconds:.0f} s out"
    )
    console.print(f"missing at healthy endpoints: {outcome.missing}")
    console.print(f"came more than once: {outcome.repeated} ({outcome.share_repeated:.3%})")
    console.print(f"commit to arrival, p99: {outcome.p99_ms:.0f} ms")
    is_fine = (
        not outcome.missing
        and outcome.share_repeated <= MOST_REPEATED
        and outcome.p99_ms <= MOST_LATE_MS
    )
    sys.exit(0 if is_fine else 1)


if __name__ == "__main__":
    main()
