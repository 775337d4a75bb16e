"""The models that can serve one channel of a call, in the order in which they are tried."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import structlog
from livekit.agents.metrics.base import Metadata

from contracts.call_plan import ProviderChoice
from pipelines.engine.channels.circuit_breaker import CircuitBreaker
from pipelines.engine.channels.closable import Closable, close_all
from pipelines.engine.providers.spec import ProviderUnavailable

CLOSE_SECONDS = 1.0
"""How long a model may take to close. A plugin waits 10 s for the farewell of a provider that
hangs; nobody needs it, and what the call closes afterwards would wait as well."""

logger = structlog.get_logger(__name__)

Model = TypeVar("Model", bound=Closable)


@dataclass(frozen=True, eq=False)
class Candidate(Generic[Model]):
    choice: ProviderChoice
    build: Callable[[], Model]
    """Raises ``ProviderUnavailable`` if this process cannot run the model."""
    breaker: CircuitBreaker | None = None
    """None for a model of our own, which is always asked."""

    def built(self) -> Model:
        """Raises ``ProviderUnavailable`` if this process cannot run the model, also if its plugin
        raises something else: it may refuse the agent's options."""
        try:
            return self.build()
        except ProviderUnavailable:
            raise
        except Exception as error:
            logger.exception("model.not_built", model=self.name)
            raise ProviderUnavailable(f"it cannot be built ({type(error).__name__})") from error

    @property
    def is_our_own(self) -> bool:
        return self.breaker is None

    @property
    def name(self) -> str:
        return f"{self.choice.provider}/{self.choice.model}"

    @property
    def metadata(self) -> Metadata:
        """The plan's names, for what the model reports. Plugins have others: OpenAI's is called by
        its address."""
        return Metadata(model_name=self.choice.model, model_provider=self.choice.provider)


class Candidates(Generic[Model]):
    """Builds a model when it is first asked for, and keeps it for the call, or until it is given
    up."""

    def __init__(self, candidates: Sequence[Candidate[Model]]) -> None:
        """Args:
        candidates: at least one; the primary first.
        """
        self._candidates = tuple(candidates)
        self._built: dict[Candidate[Model], Model] = {}

    @property
    def all(self) -> tuple[Candidate[Model], ...]:
        return self._candidates

    @property
    def primary(self) -> Candidate[Model]:
        return self._candidates[0]

    def rank(self, candidate: Candidate[Model]) -> int:
        """0 is the primary."""
        return self._candidates.index(candidate)

    def build_one(self) -> None:
        """Build the first model that this process can run.

        Raises ``ProviderUnavailable`` if it can run none.
        """
        refusal: ProviderUnavailable | None = None
        for candidate in self._candidates:
            try:
                self.model(candidate)
            except ProviderUnavailable as error:
                refusal = refusal or error
            else:
                return
        if refusal is not None:
            raise refusal

    def attempts(self) -> Iterator[Candidate[Model]]:
        """Those that may be tried now, each once.

        Those that have failed lately come last: where nothing else works, another try is better
        than silence. Whoever takes one reports to its breaker what became of the attempt.
        """
        resting = []
        for candidate in self._candidates:
            if candidate.breaker is None or candidate.breaker.may_try():
                yield candidate
            else:
                resting.append(candidate)
        yield from resting

    def model(self, candidate: Candidate[Model]) -> Model:
        """Raises ``ProviderUnavailable`` if this process cannot run it."""
        if candidate not in self._built:
            self._built[candidate] = candidate.built()
        return self._built[candidate]

    def give_up(self, candidate: Candidate[Model]) -> Model | None:
        """Have another one built when it is next asked for. Returns the old one, which the caller
        closes; ``None``: there is none."""
        return self._built.pop(candidate, None)

    async def aclose(self) -> None:
        """Models that are late are left alone."""
        built, self._built = self._built, {}
        await close_all(*(_InTime(each.name, model) for each, model in built.items()))


@dataclass(frozen=True)
class _InTime:
    name: str
    model: Closable

    async def aclose(self) -> None:
        try:
            async with asyncio.timeout(CLOSE_SECONDS) as limit:
                await self.model.aclose()
        except TimeoutError:
            if not limit.expired():
                raise
            # Its connection is closed by now: that is what its client does when it is cancelled.
            logger.info("model.not_closed_in_time", model=self.name)
