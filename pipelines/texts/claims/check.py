"""Reads what an agent is about to say, and replaces what it must not claim."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pipelines.texts.claims.prohibited import ProhibitedClaims
from pipelines.texts.utterance import INNER_SENTENCE_END

_LONGEST_SENTENCE = 400
"""In characters. Of a longer one, what cannot be the beginning of a claim is let go."""


class ClaimCheck:
    """Of one answer, which arrives bit by bit. Without claims the text passes as it comes;
    otherwise sentence by sentence, and ``instead`` takes the place of those that make a claim, once
    in the answer."""

    def __init__(
        self, claims: ProhibitedClaims, instead: str, on_claim: Callable[[str], None]
    ) -> None:
        """
        Args:
            on_claim: gets each claim that was not said.
        """
        self._claims = claims
        self._instead = instead
        self._on_claim = on_claim
        self._held = ""

    def take(self, text: str) -> Iterator[str]:
        if not self._claims:
            yield text
            return
        self._held += text
        while length := self._sentence_length():
            yield from self._checked(length)
        if len(self._held) > _LONGEST_SENTENCE + self._claims.longest:
            space = self._held.rfind(" ", 0, _LONGEST_SENTENCE)
            has_claim = bool(self._claims.said_in(self._held))
            length = len(self._held) if has_claim else space + 1 or _LONGEST_SENTENCE
            yield from self._checked(length)

    def rest(self) -> Iterator[str]:
        """What is left when the answer is complete."""
        yield from self._checked(len(self._held))

    def _sentence_length(self) -> int:
        """Of the first sentence that is whole; 0 if none is."""
        ends = (match.end() for match in INNER_SENTENCE_END.finditer(self._held))
        return next((end for end in ends if not self._claims.stop_within(self._held[:end])), 0)

    def _checked(self, length: int) -> Iterator[str]:
        sentence, self._held = self._held[:length], self._held[length:]
        said = self._claims.said_in(sentence)
        if not said:
            if sentence:
                yield sentence
            return
        for claim in said:
            self._on_claim(claim)
        if self._instead:
            instead, self._instead = self._instead, ""
            before = sentence[: len(sentence) - len(sentence.lstrip())]
            yield f"{before}{instead} "
