from __future__ import annotations

from typing import Any

import pytest

from contracts.call_plan import ProviderChoice
from pipelines.engine.agent_parts import AgentParts
from pipelines.engine.channels.candidates import Candidate, Candidates
from pipelines.engine.channels.closable import Closable


class Part:
    def __init__(self, *, fails: bool = False) -> None:
        self.closed = False
        self._fails = fails

    async def aclose(self) -> None:
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
