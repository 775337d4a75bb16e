"""How models count, as all calls of a process have seen it: for estimates of what a vendor does not
report. Pure."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass


@dataclass
class CharactersPerUnit:
    """Of all requests that were answered whole."""

    characters: int = 0
    units: float = 0.0
    """Tokens, or seconds of sound."""

    def add(self, characters: int, units: float) -> None:
        self.characters += characters
        self.units += units

    @property
    def rate(self) -> float | None:
        """``None`` while it is unknown."""
        return self.characters / self.units if self.characters and self.units else None


class TokenRates:
    """Of one language model."""

    def __init__(self) -> None:
        self.read, self.written = CharactersPerUnit(), CharactersPerUnit()
        self._answers = 0
        self._reasoning_tokens = 0

    @property
    def reasoning_tokens(self) -> float | None:
        """Before the words of one answer. ``None`` while it is unknown."""
        return self._reasoning_tokens / self._answers if self._answers else None

    def add(
        self,
        read_characters: int,
        input_tokens: int,
        written_characters: int,
        output_tokens: int,
        reasoning_tokens: int = 0,
    ) -> None:
        """A whole answer, with the vendor's own count.

        Args:
            reasoning_tokens: the part of ``output_tokens`` that is in no character.
        """
        self.read.add(read_characters, input_tokens)
        self.written.add(written_characters, output_tokens - reasoning_tokens)
        self._answers += 1
        self._reasoning_tokens += reasoning_tokens


class UsageRates:
    """Those of one process. A call whose own requests all ended early knows no others."""

    def __init__(self) -> None:
        self._tokens: dict[tuple[str, str], TokenRates] = defaultdict(TokenRates)
        self._speech: dict[tuple[str, str, str], CharactersPerUnit] = defaultdict(CharactersPerUnit)

    def tokens(self, provider: str, model: str) -> TokenRates:
        return self._tokens[provider, model]

    def speech(self, provider: str, model: str, voice: str) -> CharactersPerUnit:
        """In seconds."""
        return self._speech[provider, model, voice]
