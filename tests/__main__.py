"""Every test, in stages that share out the processor's cores: ``make test`` and ``.ci/run``.

``python -m tests 1`` runs only the first stage.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

CORES = os.cpu_count() or 1
SIDE_BY_SIDE = CORES + 1
"""One more than there are cores: the tests wait for servers a quarter of their time."""
TESTS = Path(__file__).parent
_NO_LATENCY = ("-m", "not latency")
_FAILED = TESTS.parent / ".pytest_cache" / "v" / "cache" / "lastfailed"
MOST_ONCE_MORE = 8
"""More failures than this are no matter of a busy machine."""


def files_that_measure_latencies(*, alone: bool) -> tuple[str, ...]:
    """Named to pytest, they spare it the collection of all other tests.

    Models and voices mostly wait for audio. Whole systems are many processes, which are measured
    ``alone``.
    """
    return tuple(
        str(path.relative_to(TESTS.parent))
        for path in sorted(TESTS.rglob("test_*.py"))
        if "pytest.mark.latency" in path.read_text() and _is_alone(path) is alone
    )


def _is_alone(path: Path) -> bool:
    return not path.is_relative_to(TESTS / "pipelines")


@dataclass(frozen=True)
class Stage:
    title: str
    arguments: tuple[str, ...]
    """For pytest."""


def stages() -> tuple[Stage, ...]:
    return (
        Stage(
            f"unit and API tests, {SIDE_BY_SIDE} at a time",
            # A process that has nothing left to do takes tests over from another one.
            ("-n", str(SIDE_BY_SIDE), "--dist", "worksteal", "--ignore=tests/e2e", *_NO_LATENCY),
        ),
        Stage(
            f"end-to-end tests, {CORES} at a time",
            # The tests of a file share systems and calls. Speech that is played late is misheard,
            # so there are no more of them than cores.
            ("-n", str(CORES), "--dist", "loadfile", "tests/e2e", *_NO_LATENCY),
        ),
        Stage(
            f"tests that measure latencies of models and voices, {SIDE_BY_SIDE} at a time",
            # They wait for audio most of their time.
            (
                *("-n", str(SIDE_BY_SIDE), "--dist", "worksteal", "-m", "latency"),
                *files_that_measure_latencies(alone=False),
            ),
        ),
        Stage(
            "tests that measure latencies of whole systems, one at a time",
            ("-m", "latency", *files_that_measure_latencies(alone=True)),
        ),
    )


def environment() -> dict[str, str]:
    """Lets Python keep what it compiles. The tests start a hundred Python processes, and pytest
    rewrites 6,000 assertions: without ``__pycache__`` each process would do its part again."""
    kept = dict(os.environ)
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    return kept


def run_pytest(*arguments: str) -> int:
    """Returns its exit code."""
    command = [sys.executable, "-m", "pytest", *arguments]
    return subprocess.run(command, env=environment(), check=False).returncode


def failed_tests() -> list[str]:
    """Of the last run of pytest."""
    return list(json.loads(_FAILED.read_text())) if _FAILED.exists() else []


def run_stage(stage: Stage) -> int:
    """Returns pytest's exit code.

    Tests run side by side, and other machines on the same host can take the processor away for
    seconds. So what failed runs once more, alone. What fails twice has failed; what passes then is
    named, because it depends on what runs beside it.
    """
    _FAILED.unlink(missing_ok=True)
    exit_code = run_pytest(*stage.arguments)
    failed = failed_tests()
    if exit_code == pytest.ExitCode.TESTS_FAILED and len(failed) <= MOST_ONCE_MORE:
        print("==> once more, alone:", *failed, sep="\n    ", flush=True)
        # Named one by one, they spare pytest the collection of all other tests.
        exit_code = run_pytest("--continue-on-collection-errors", *failed)
        if exit_code == 0:
            print("==> passed only alone:", *failed, sep="\n    ", flush=True)
    return exit_code


def main(chosen: list[str]) -> int:
    """Runs every stage, also after one that fails; returns the first failure's exit code."""
    exit_codes = []
    for number, stage in enumerate(planned := stages(), start=1):
        if chosen and str(number) not in chosen:
            continue
        print(f"==> stage {number} of {len(planned)}: {stage.title}", flush=True)
        began_at = time.monotonic()
        exit_codes.append(exit_code := run_stage(stage))
        outcome = "passed" if exit_code == 0 else "FAILED"
        print(f"==> stage {number} {outcome} after {time.monotonic() - began_at:.0f} s", flush=True)
    return next(filter(None, exit_codes), 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
