"""A speech synthesiser that runs in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol


class LocalVoice(Protocol):
    @property
    def sample_rate(self) -> int: ...

    def speak(self, text: str, *, locale: str) -> AsyncIterator[bytes]:
        """Mono 16-bit PCM, one piece per sentence, each as soon as it is ready."""

    async def aclose(self) -> None: ...
