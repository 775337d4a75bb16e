"""Each part of the fuzz is judged as one of our processes runs."""

from __future__ import annotations

import gc
from random import Random

import pytest

from tests.fuzz.__main__ import IN_PROCESS, fuzz_in_process
from tests.fuzz.outcome import Outcome


def test_no_input_pays_for_the_garbage_collection_of_what_is_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded: list[list[str]] = [[]]
    looked_at: list[bool] = []

    def part(_dice: Random) -> Outcome:
        looked_at.append(any(each is loaded for each in gc.get_objects()))
        return Outcome("part")

    monkeypatch.setitem(IN_PROCESS, "part", part)
    fuzz_in_process("part", 1)
    assert looked_at == [False]
