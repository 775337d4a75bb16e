"""Typed client of the Switchboard API, blocking and asynchronous."""

from __future__ import annotations

from switchboard_client.client import AsyncSwitchboard, Switchboard
from switchboard_client.errors import (
    ApiError,
    ConnectionFailed,
    KeyInvalid,
    RecordingNotReady,
    ServerUnreachable,
    StreamLost,
    SwitchboardError,
    UnexpectedAnswer,
)
from switchboard_client.live_view import LiveEvent
from switchboard_client.retry import RetryPolicy

__all__ = [
    "ApiError",
    "AsyncSwitchboard",
    "ConnectionFailed",
    "KeyInvalid",
    "LiveEvent",
    "RecordingNotReady",
    "RetryPolicy",
    "ServerUnreachable",
    "StreamLost",
    "Switchboard",
    "SwitchboardError",
    "UnexpectedAnswer",
]
