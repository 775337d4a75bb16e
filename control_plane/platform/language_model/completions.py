"""What a language model is sent and what it sends back. Pure."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Literal, Protocol


@dataclass(frozen=True)
class Message:
    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True)
class CompletionRequest:
    """One request for a JSON object. It never offers tools to the model."""

    name: str
    """What the request is for, for example ``summary``."""
    instructions: str
    """The system message."""
    messages: tuple[Message, ...]
    schema: dict[str, Any] | None = None
    """The JSON Schema of the answer, in the subset that providers enforce. ``None`` asks for any
    JSON object."""

    def digest(self, provider: str, model: str) -> bytes:
        """A hash that is equal for equal requests to the same model."""
        document = [
            *(provider, model, self.name, self.instructions),
            [[message.role, message.text] for message in self.messages],
            self.schema,
        ]
        return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).digest()


@dataclass(frozen=True)
class Completion:
    """A model's answer as it came, not yet checked."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0


class LanguageModel(Protocol):
    @property
    def provider(self) -> str: ...

    @property
    def model(self) -> str: ...

    async def complete(self, request: CompletionRequest) -> Completion:
        """
        Raises:
            ModelFailed: the model gave no answer.
        """
        ...
