"""Estimates the tokens of requests that ended before their vendor told how many. Pure."""

from __future__ import annotations

from dataclasses import dataclass

USUAL_CHARACTERS_PER_TOKEN = 4.0
"""Of English. Source: OpenAI, "What are tokens and how to count them?"."""


@dataclass
class _Side:
    """What a model has read, or what it has written."""

    reported_characters: int = 0
    reported_tokens: int = 0
    unreported_characters: int = 0

    @property
    def tokens(self) -> int:
        per_token = USUAL_CHARACTERS_PER_TOKEN
        if self.reported_tokens and self.reported_characters:
            per_token = self.reported_characters / self.reported_tokens
        return round(self.unreported_characters / per_token)


class EstimatedTokens:
    """Of one model in one call. What it reports of some requests says how it counts the others, the
    earlier ones too: most of each is the same prompt."""

    def __init__(self) -> None:
        self._read, self._written = _Side(), _Side()
        self._reported_answers = 0
        self._reported_reasoning_tokens = 0
        self._unreported_answers = 0
        """Of which a word has come."""

    @property
    def input_tokens(self) -> int:
        return self._read.tokens

    @property
    def output_tokens(self) -> int:
        return self._written.tokens + self.reasoning_tokens

    @property
    def reasoning_tokens(self) -> int:
        """The part of ``output_tokens`` that came before the words."""
        answers = max(1, self._reported_answers)
        return round(self._unreported_answers * self._reported_reasoning_tokens / answers)

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
        self._read.reported_characters += read_characters
        self._read.reported_tokens += input_tokens
        self._written.reported_characters += written_characters
        self._written.reported_tokens += output_tokens - reasoning_tokens
        self._reported_answers += 1
        self._reported_reasoning_tokens += reasoning_tokens

    def unreported(self, read_characters: int, written_characters: int) -> None:
        """An answer that ended early."""
        self._read.unreported_characters += read_characters
        self._written.unreported_characters += written_characters
        self._unreported_answers += bool(written_characters)
