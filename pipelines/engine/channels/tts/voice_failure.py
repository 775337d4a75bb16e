"""Why a voice failed, in words for an event: without keys, addresses or what was to be said."""

from __future__ import annotations

from livekit.agents import APIConnectionError, APIError, APIStatusError, APITimeoutError

_LEAST_STATUS, _MOST_STATUS = 400, 599


class VoiceFailed(Exception):
    """A voice did not speak what it was given. Its message is the reason.

    Args:
        is_silence: it took the text and said nothing more. Another failure before any sound means
            that it took nothing.
    """

    def __init__(self, why: str, *, is_silence: bool = False) -> None:
        super().__init__(why)
        self.is_silence = is_silence


def reason_of(error: BaseException) -> str:
    """Of what the engine's plugin raised."""
    if isinstance(error, APIStatusError) and _LEAST_STATUS <= error.status_code <= _MOST_STATUS:
        return f"answered with status {error.status_code}"
    if isinstance(error, APITimeoutError):
        return "did not answer in time"
    if isinstance(error, APIStatusError):
        return "the connection was closed"
    if isinstance(error, APIConnectionError):
        root = _root(error)
        return "the connection failed" + ("" if root is error else f": {type(root).__name__}")
    if isinstance(error, APIError):
        return "no sound came" if "no audio" in error.message else "answered with an error"
    return f"the plugin failed: {type(error).__name__}"


def _root(error: BaseException) -> BaseException:
    seen = {id(error)}
    while error.__cause__ is not None and id(error.__cause__) not in seen:
        error = error.__cause__
        seen.add(id(error))
    return error
