"""A tenant that floods shared workers for a minute, and a stranger who opens calls for 16 s.

python -m tests.fairness [--seconds 60] [--call-seconds 1.5] [--attack-seconds 16]
"""

from __future__ import annotations

import argparse
import asyncio
import sys

from tests.fairness.crowding import OVERLOAD, Outcome, crowd, p95


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--call-seconds", type=float, default=1.5)
    parser.add_argument("--attack-seconds", type=float, default=16)
    arguments = parser.parse_args()
    outcome = asyncio.run(
        crowd(
            arguments.seconds,
            arguments.call_seconds,
            arguments.attack_seconds,
            wait_for_strangers=True,
        )
    )
    for line in report(outcome):
        sys.stdout.write(f"{line}\n")
    sys.exit(1 if outcome.faults or outcome.quiet_p95_seconds > 1 else 0)


def report(outcome: Outcome) -> list[str]:
    return [
        f"loud tenant, {OVERLOAD} × capacity: {dict(outcome.loud_answers)},"
        f" {outcome.loud_started} started",
        f"quiet tenant: {dict(outcome.quiet_answers)},"
        f" p95 {outcome.quiet_p95_seconds:.2f} s to the start",
        f"of which p95 {p95(outcome.quiet_waits):.2f} s for a worker",
        f"attack: {dict(outcome.attack_answers)}",
        f"then the owner's call started after {outcome.owner_seconds} s,"
        f" the neighbour's after {outcome.neighbour_seconds} s",
        *outcome.faults[:20],
        f"{len(outcome.faults)} faults",
    ]


if __name__ == "__main__":
    main()
