"""Why a connection is refused before its request reaches the application, and with what answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class NotHttp:
    """What came is not HTTP/1.1: the first line, a header or the framing of the body."""


@dataclass(frozen=True)
class HeadLate:
    """The first line and the headers did not arrive within ``seconds``."""

    seconds: float


@dataclass(frozen=True)
class Full:
    """All connections of the process are being answered."""


Refusal = NotHttp | HeadLate | Full


@dataclass(frozen=True)
class RefusalAnswer:
    """``headers`` say the type and the length of ``body``; not that the connection is closed."""

    status: int
    headers: Sequence[tuple[bytes, bytes]]
    body: bytes


AnswerTo = Callable[[Refusal, str | None], RefusalAnswer]
"""The answer to a refusal, over a connection of the scheme ``http`` or ``https``."""
