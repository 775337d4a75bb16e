"""What ``make hostile`` calls growth."""

from __future__ import annotations

import math
from random import Random

import pytest

from tests.hostile.memory import Memory

SAMPLES = 160


def of(*mib: float) -> Memory:
    return Memory([{"worker-1 (7)": each} for each in mib])


@pytest.mark.parametrize("leak_mib", [30.0, 37.0, 90.0])
def test_a_steady_leak_is_growth(leak_mib: float) -> None:
    memory = of(*(200 + leak_mib * at / SAMPLES for at in range(SAMPLES)))
    assert ["goes on growing" in fault for fault in memory.faults()] == [True]


def test_what_fills_once_is_no_growth() -> None:
    filled = (200 + 60 * (1 - math.exp(-at / 40)) for at in range(SAMPLES))
    assert of(*filled).faults() == []


def test_calls_that_come_and_go_are_no_growth() -> None:
    dice = Random(1)
    assert of(*(200 + dice.choice((0, 4, 8, 11)) for _ in range(SAMPLES))).faults() == []


def test_much_growth_is_growth_however_it_ends() -> None:
    filled = (200 + 150 * (1 - math.exp(-at / 20)) for at in range(SAMPLES))
    assert of(*filled).faults() == ["worker-1 (7) grew by 150 MiB"]


def test_a_process_that_died_is_named() -> None:
    memory = Memory([{"api (1)": 90.0, "jobs (2)": 80.0}, {"api (1)": 90.0, "jobs (3)": 80.0}])
    assert memory.faults() == ["jobs (2) was started again", "jobs (3) was started again"]


def test_a_few_samples_are_shown() -> None:
    (line,) = of(*range(100, 260)).table()
    assert line.startswith("memory of worker-1 (7): 100 120 140 160 ")
    assert "259 MiB" in line
