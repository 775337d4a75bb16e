"""Why a model did not do its work, in words that may stand in the call's events: none of the
provider's own, which may hold a key or what was said."""

from __future__ import annotations

import asyncio

import aiohttp
from livekit.agents import APIConnectionError, APIError, APIStatusError, APITimeoutError

_ABOUT_THE_REQUEST = frozenset({-1, 400, 413, 422})
"""Status codes that say nothing about other calls: this request is too long, or forbidden, or
(-1, by the engine's plugins) it got no answer for what it says."""
_LEAST_STATUS, _MOST_STATUS = 400, 599
_NO_SOUND = "no audio"
"""In the engine's message about a voice that said nothing."""


class ModelFailed(Exception):
    """The message is a short sentence without keys or the caller's words."""

    def __init__(self, why: str, *, concerns_others: bool = True) -> None:
        """Args:
        concerns_others: whether requests of other calls are likely to fail, too.
        """
        super().__init__(why)
        self.concerns_others = concerns_others


def failure_of(error: Exception) -> ModelFailed:
    """``error`` of one of the engine's plugins or of its SDK."""
    if isinstance(error, ModelFailed):
        return error
    status = error.status_code if isinstance(error, APIStatusError) else None
    return ModelFailed(why_it_failed(error), concerns_others=status not in _ABOUT_THE_REQUEST)


def why_it_failed(error: BaseException) -> str:
    """What the model did, without its name: ``answered with status 429``."""
    match error:
        case BaseExceptionGroup():
            return why_it_failed(error.exceptions[0])
        case APIStatusError() if _LEAST_STATUS <= error.status_code <= _MOST_STATUS:
            return f"answered with status {error.status_code}"
        case APIStatusError() if error.status_code < 0:
            return "refused the request"
        case APIStatusError():
            return "broke the connection off"
        case APITimeoutError():
            return "did not answer in time"
        case APIConnectionError():
            return _not_connected(error, _root(error))
        case APIError():
            return "made no sound" if _NO_SOUND in error.message else "answered with an error"
        case _:
            return f"failed with {type(error).__name__}"


def _not_connected(error: APIConnectionError, root: BaseException) -> str:
    match root:
        case aiohttp.WSServerHandshakeError():
            return f"answered with status {root.status}"
        case TimeoutError() | asyncio.CancelledError():
            return "did not answer in time"
    cause = "" if root is error else f" ({type(root).__name__})"
    return f"could not be reached, or the connection broke off{cause}"


def _root(error: BaseException) -> BaseException:
    seen = {id(error)}
    while (cause := error.__cause__) is not None and id(cause) not in seen:
        seen.add(id(cause))
        error = cause
    return error
