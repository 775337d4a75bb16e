"""Why a recogniser's stream ended, in words for a call's event: none of the provider's own, which
may hold a key or what the caller said."""

from __future__ import annotations

from livekit.agents import APIConnectionError, APIStatusError, APITimeoutError

ENDED = "ended its stream while sound was coming"


def why_it_failed(error: Exception) -> str:
    match error:
        case ExceptionGroup():
            first = error.exceptions[0]
            assert isinstance(first, Exception)
            return why_it_failed(first)
        case APIStatusError() if 400 <= error.status_code < 600:
            return f"answered with status {error.status_code}"
        case APIStatusError():
            return "broke the connection off"
        case APITimeoutError():
            return "did not answer in time"
        case APIConnectionError():
            return "could not be reached, or the connection broke off"
        case _:
            return f"failed with {type(error).__name__}"
