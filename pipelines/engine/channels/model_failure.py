"""Why a model did not do its work, in words that may stand in the call's events."""

from __future__ import annotations

import asyncio

import aiohttp
from livekit.agents import APIConnectionError, APIStatusError, APITimeoutError

_ABOUT_THE_REQUEST = frozenset({-1, 400, 413, 422})
"""Status codes that say nothing about other calls: this request is too long, or forbidden, or
(-1, by the engine's plugins) it got no answer for what it says."""


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
    match error:
        case ModelFailed():
            return error
        case APIStatusError():
            code = error.status_code
            why = "it refused the request" if code < 0 else f"it answered with status {code}"
            return ModelFailed(why, concerns_others=code not in _ABOUT_THE_REQUEST)
        case APITimeoutError():
            return ModelFailed("it did not answer in time")
        case APIConnectionError():
            return _not_connected(_root(error))
        case _:
            return ModelFailed(f"the request failed ({type(error).__name__})")


def _not_connected(cause: BaseException) -> ModelFailed:
    match cause:
        case aiohttp.WSServerHandshakeError():
            return ModelFailed(f"it answered with status {cause.status}")
        case TimeoutError() | asyncio.CancelledError():
            return ModelFailed("it did not answer in time")
    return ModelFailed(f"the request failed ({type(cause).__name__})")


def _root(error: BaseException) -> BaseException:
    seen = {id(error)}
    while (cause := error.__cause__) is not None and id(cause) not in seen:
        seen.add(id(cause))
        error = cause
    return error
