"""The errors that the client raises. Every one is a ``SwitchboardError``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class SwitchboardError(Exception):
    """The base class of all errors of this client."""


class KeyInvalid(SwitchboardError):
    """What was given as a key has characters that no key has. The text does not repeat it."""


class ServerUnreachable(SwitchboardError):
    """There was no answer from ``server``, after all attempts."""

    def __init__(self, server: str, reason: str) -> None:
        super().__init__(f"No answer from {server}" + (f": {reason}" if reason else ""))
        self.server = server
        self.reason = reason


class UnexpectedAnswer(SwitchboardError):
    """An answer that does not come from the API: another program serves at this address."""


class ConnectionFailed(SwitchboardError):
    """A call's media connection could not be made, or was lost."""

    def __init__(self, detail: str, *, advice: str = "") -> None:
        super().__init__(f"{detail} {advice}".strip())
        self.detail = detail
        self.advice = advice


class StreamLost(SwitchboardError):
    """A live view was lost and could not be resumed. Try later, after the event ``last_id``."""

    def __init__(self, reason: str, last_id: str | None) -> None:
        super().__init__(f"The live view was lost: {reason}")
        self.last_id = last_id


class RecordingNotReady(SwitchboardError):
    """A recording has no files to download: it is ``processing``, or it has ``failed``."""

    def __init__(self, status: str, detail: str | None) -> None:
        super().__init__(f"The recording is {status}." + (f" {detail}" if detail else ""))
        self.status = status


class ApiError(SwitchboardError):
    """The API refused: an ``application/problem+json`` document (RFC 9457).

    Each ``code`` that the API declares has a class of its own in ``switchboard_client.problems``;
    an error with another code is an ``ApiError`` itself.
    """

    code: str | None = None
    """The kind of problem, for programs. ``None``: the answer was not a problem document, and may
    come from a proxy."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        document: Mapping[str, Any] | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        """What is wrong with the request, and how to put it right."""
        self.document: Mapping[str, Any] = document or {}
        """The whole problem document, with additional members such as ``blockers``."""
        self.retry_after_seconds = retry_after_seconds
        """How long the API asks to wait before the next attempt; ``None`` if it does not ask."""
        if self.code is None:
            code = self.document.get("code")
            self.code = code if isinstance(code, str) else None

    @property
    def request_id(self) -> str | None:
        """The id to give to the operator of the installation when you ask about this error."""
        return self.document.get("request_id")

    @property
    def errors(self) -> list[dict[str, str]]:
        """For an invalid request: ``field`` and ``message`` of each mistake."""
        return list(self.document.get("errors") or ())

    @property
    def limit(self) -> float | None:
        """For an exhausted quota: its size."""
        return self.document.get("limit")

    @property
    def used(self) -> float | None:
        """For an exhausted quota: how much of it is used."""
        return self.document.get("used")
