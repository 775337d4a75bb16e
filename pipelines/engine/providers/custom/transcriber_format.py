"""The format of ``custom_transcriber_url`` (docs/custom-endpoints.md). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.engine.providers.custom.messages import (
    BrokenMessage,
    decoded,
    encoded,
    seconds_of,
    text_of,
)

_IS_FINAL = {"interim": False, "final": True}


@dataclass(frozen=True)
class HeardText:
    """Times are in seconds from the first sample of the connection."""

    text: str
    is_final: bool
    start: float | None
    end: float | None


def start_message(*, rate_hz: int, language: str, model: str, keywords: Sequence[str]) -> str:
    """The first one on a connection."""
    return encoded(
        "start",
        sample_rate=rate_hz,
        language=language,
        model=model,
        keywords=list(keywords) or None,
    )


def finalize_message() -> str:
    """No more sound comes."""
    return encoded("finalize")


def heard_text(message: str | bytes) -> HeardText | None:
    """``None`` for a message of an unknown type.

    Raises:
        BrokenMessage: it is not of the format.
        ReportedError: the server cannot go on.
    """
    if isinstance(message, bytes):
        raise BrokenMessage("a transcriber sends no binary messages")
    answer = decoded(message)
    is_final = _IS_FINAL.get(answer["type"])
    if is_final is None:
        return None
    return HeardText(
        text_of(answer), is_final, seconds_of(answer, "start_ms"), seconds_of(answer, "end_ms")
    )
