from __future__ import annotations

import asyncio
from typing import Any

import pytest

from contracts.call_plan import ProviderChoice
from pipelines.engine.agent_parts import AgentParts
from pipelines.engine.channels.candidates import CLOSE_SECONDS, Candidate, Candidates
from pipelines.engine.channels.closable import Closable
from tests.runtime import virtual_time


class Part:
    def __init__(self, *, fails: bool = False, seconds: float = 0.0) -> None:
        self.closed = False
        self._fails = fails
        self._seconds = seconds

    async def aclose(self) -> None:
        await asyncio.sleep(self._seconds)
        if self._fails:
            raise ConnectionError("the vendor hung up")
        self.closed = True


def channel_of(parts: list[Part]) -> Closable:
    choice = ProviderChoice(provider="a", model="m")
    candidates = Candidates([Candidate(choice, lambda part=part: part) for part in parts])
    for candidate in candidates.all:
        candidates.model(candidate)
    return candidates


def agent_of(parts: list[Part]) -> Closable:
    tools, stt, llm, tts = parts
    rest: dict[str, Any] = {"plan": None, "transforms": [], "realtime": None, "knowledge": None}
    made: dict[str, Any] = {"tools": tools, "stt": stt, "llm": llm, "tts": tts}
    return AgentParts(**made, **rest)


@pytest.mark.parametrize("owner_of", [channel_of, agent_of])
@pytest.mark.parametrize("failing", [0, 3])
async def test_a_part_that_fails_while_it_is_closed_leaves_no_other_open(
    owner_of: Any, failing: int
) -> None:
    parts = [Part(fails=number == failing) for number in range(4)]
    with pytest.raises(ConnectionError):
        await owner_of(parts).aclose()
    assert [part.closed for part in parts].count(True) == 3


def test_a_provider_that_hangs_does_not_hold_up_the_end_of_the_call() -> None:
    async def main() -> None:
        hanging, quick = Part(seconds=1_000), Part(seconds=0.9 * CLOSE_SECONDS)
        await channel_of([hanging, quick]).aclose()
        assert asyncio.get_running_loop().time() <= CLOSE_SECONDS
        assert quick.closed

    virtual_time.run(main())
