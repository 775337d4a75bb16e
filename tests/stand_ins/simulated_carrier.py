"""A carrier without a network: each number does what a test has told it to."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from contracts.dial_outcome import DialOutcome
from contracts.dialing import DialRequest
from telephony_bridge.carrier import Answered, CarrierRefused, Ended, LegState, Ringing

NAME = "simulated"


@dataclass(frozen=True)
class Behaviour:
    """What one dialed number does, step by step."""

    rings: int = 1
    """How often the carrier says so."""
    step_seconds: float = 0.0
    """Before each step."""
    answers: bool = True
    hangs_up: bool = False
    """After answering; else the line stays open until we hang up."""
    outcome: DialOutcome | None = None
    """How the attempt ends instead of being answered; ``None`` without ``answers``: it rings on."""
    refused: bool = False
    """The carrier does not even take the call; ends with ``outcome``."""
    deaf: bool = False
    """The carrier says nothing more after ringing, and does not hear a hang-up."""
    lost: bool = False
    """The connection to the carrier breaks after ringing."""
    repeats: bool = False
    """Everything is said twice."""


ANSWERS = Behaviour()
ANSWERS_AND_HANGS_UP = Behaviour(hangs_up=True)
RINGS_ON = Behaviour(answers=False)
BUSY = Behaviour(rings=0, answers=False, outcome=DialOutcome.BUSY)
NO_ANSWER = Behaviour(answers=False, outcome=DialOutcome.NO_ANSWER)
REJECTS = Behaviour(answers=False, outcome=DialOutcome.REJECTED)
UNREACHABLE = Behaviour(rings=0, answers=False, outcome=DialOutcome.UNREACHABLE)
FAILS = Behaviour(answers=False, refused=True, outcome=DialOutcome.FAILED)
DEAF = Behaviour(answers=False, deaf=True)
LOSES_CONNECTION = Behaviour(answers=False, lost=True)


@dataclass
class SimulatedCarrier:
    """``plans`` holds, by number, what its first, second, … call does; the last goes on. A number
    without any answers."""

    name: str = NAME
    plans: dict[str, tuple[Behaviour, ...]] = field(default_factory=dict)
    dialed: list[DialRequest] = field(default_factory=list)
    legs: list[SimulatedLeg] = field(default_factory=list)
    _calls: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))

    def tell(self, number: str, *behaviours: Behaviour) -> None:
        self.plans[number] = behaviours

    async def dial(self, request: DialRequest) -> SimulatedLeg:
        self.dialed.append(request)
        behaviours = self.plans.get(request.to_number, (ANSWERS,))
        behaviour = behaviours[min(self._calls[request.to_number], len(behaviours) - 1)]
        self._calls[request.to_number] += 1
        if behaviour.refused:
            raise CarrierRefused(behaviour.outcome or DialOutcome.FAILED, "no route today")
        leg = SimulatedLeg(request, behaviour)
        self.legs.append(leg)
        return leg

    @property
    def open_lines(self) -> int:
        return sum(not leg.is_over for leg in self.legs)


class SimulatedLeg:
    def __init__(self, request: DialRequest, behaviour: Behaviour) -> None:
        self.request = request
        self.is_over = False
        self.was_given_up = False
        self._behaviour = behaviour
        self._hung_up = asyncio.Event()

    async def hang_up(self) -> None:
        if not self._behaviour.deaf:
            self._hung_up.set()

    async def give_up(self) -> None:
        self.was_given_up = True

    async def states(self) -> AsyncIterator[LegState]:
        times = 2 if self._behaviour.repeats else 1
        async for state in self._states():
            self.is_over = isinstance(state, Ended)
            for _ in range(times):
                yield state
        self.is_over = True

    async def _states(self) -> AsyncIterator[LegState]:
        behaviour = self._behaviour
        for _ in range(behaviour.rings):
            await asyncio.sleep(behaviour.step_seconds)
            yield Ringing()
        await asyncio.sleep(behaviour.step_seconds)
        if behaviour.lost:
            return
        if behaviour.outcome is not None:
            yield Ended(behaviour.outcome, "as told")
            return
        if behaviour.answers:
            yield Answered()
        if not behaviour.hangs_up:
            await self._hung_up.wait()
        yield Ended(None if behaviour.answers else DialOutcome.CANCELED, "hung up")
