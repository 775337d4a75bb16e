"""Which recogniser is asked next. Pure but for the breakers."""

from __future__ import annotations

from typing import Any

from livekit.agents import stt

from pipelines.engine.channels.candidates import Candidate, Candidates

Recogniser = Candidate[stt.STT[Any]]


class RecogniserOrder:
    """In a round each recogniser is asked once. Final words end a round: those who failed since are
    no longer counted out."""

    def __init__(self, candidates: Candidates[stt.STT[Any]]) -> None:
        self._candidates = candidates
        self._failed: set[Recogniser] = set()
        self._last_resort: Recogniser | None = None

    def next(self, *besides: Recogniser) -> Recogniser | None:
        """The first that may be tried, or else the one that worked until it failed."""
        for candidate in self._candidates.attempts():
            if candidate not in self._failed | {self._last_resort, *besides}:
                return candidate
        resort = self._last_resort
        if resort is None or resort in besides:
            return None
        self._last_resort = None
        return resort

    def has_our_own_besides(self, *besides: Recogniser) -> bool:
        """Whether a model of our own can still be asked."""
        others = (each for each in self._candidates.all if each.is_our_own)
        return any(each not in self._failed.union(besides) for each in others)

    def cannot_run(self, candidate: Recogniser) -> None:
        """This process cannot: that says nothing about the provider."""
        self._failed.add(candidate)

    def failed(self, candidate: Recogniser, *, was_working: bool) -> None:
        """
        Args:
            was_working: it has given final words before. Then it is worth another try, when
                nobody else is left.
        """
        if candidate.breaker is not None:
            candidate.breaker.failed()
        if was_working:
            self._last_resort = candidate
        else:
            self._failed.add(candidate)

    def succeeded(self, candidate: Recogniser) -> None:
        if candidate.breaker is not None:
            candidate.breaker.succeeded()
        self._failed.clear()
        self._last_resort = None
