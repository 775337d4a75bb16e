"""Estimates the tokens of requests that ended before their vendor told how many. Pure."""

from __future__ import annotations

from pipelines.engine.channels.usage_rates import TokenRates

USUAL_CHARACTERS_PER_TOKEN = 4.0
"""Of English. Source: OpenAI, "What are tokens and how to count them?"."""


class EstimatedTokens:
    """Of one model in one call. What it reports of some requests says how it counts the others, the
    earlier ones too: most of each is the same prompt. Until then, what other calls know of it
    counts.

    Args:
        elsewhere: of the same model, from other calls too.
    """

    def __init__(self, elsewhere: TokenRates | None = None) -> None:
        self._here = TokenRates()
        self._elsewhere = TokenRates() if elsewhere is None else elsewhere
        self._unreported_read_characters = 0
        self._unreported_written_characters = 0
        self._unreported_answers = 0
        """Of which a word has come."""

    @property
    def input_tokens(self) -> int:
        rate = self._here.read.rate or self._elsewhere.read.rate or USUAL_CHARACTERS_PER_TOKEN
        return round(self._unreported_read_characters / rate)

    @property
    def output_tokens(self) -> int:
        rate = self._here.written.rate or self._elsewhere.written.rate or USUAL_CHARACTERS_PER_TOKEN
        return round(self._unreported_written_characters / rate) + self.reasoning_tokens

    @property
    def reasoning_tokens(self) -> int:
        """The part of ``output_tokens`` that came before the words."""
        each = self._here.reasoning_tokens
        if each is None:
            each = self._elsewhere.reasoning_tokens or 0.0
        return round(self._unreported_answers * each)

    def reported(
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
        for rates in (self._here, self._elsewhere):
            rates.add(
                read_characters, input_tokens, written_characters, output_tokens, reasoning_tokens
            )

    def unreported(self, read_characters: int, written_characters: int) -> None:
        """An answer that ended early."""
        self._unreported_read_characters += read_characters
        self._unreported_written_characters += written_characters
        self._unreported_answers += bool(written_characters)
