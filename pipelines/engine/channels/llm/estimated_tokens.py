"""Estimates the tokens of requests that ended before their vendor told how many. Pure."""

from __future__ import annotations

from dataclasses import dataclass

USUAL_CHARACTERS_PER_TOKEN = 4.0
"""Of English. Source: OpenAI, "What are tokens and how to count them?"."""


@dataclass
class _Rate:
    characters: int = 0
    tokens: int = 0

    def learn(self, characters: int, tokens: int) -> None:
        self.characters += characters
        self.tokens += tokens

    def tokens_of(self, characters: int) -> int:
        if not self.tokens or not self.characters:
            return round(characters / USUAL_CHARACTERS_PER_TOKEN)
        return round(characters * self.tokens / self.characters)


class EstimatedTokens:
    """Of one model in one call. What it reports of some requests says how it counts the others:
    most of each is the same prompt."""

    def __init__(self) -> None:
        self._read, self._written = _Rate(), _Rate()
        self.input_tokens = 0
        self.output_tokens = 0
        """All that was estimated until now."""

    def reported(
        self, read_characters: int, input_tokens: int, written_characters: int, output_tokens: int
    ) -> None:
        """A whole answer, with the vendor's own count."""
        self._read.learn(read_characters, input_tokens)
        self._written.learn(written_characters, output_tokens)

    def unreported(self, read_characters: int, written_characters: int) -> tuple[int, int]:
        """Input and output tokens of an answer that ended early."""
        read = self._read.tokens_of(read_characters)
        written = self._written.tokens_of(written_characters)
        self.input_tokens += read
        self.output_tokens += written
        return read, written
