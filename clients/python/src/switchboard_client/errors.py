"""What can go wrong between a program and the API. Every error is a ``SwitchboardError``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class SwitchboardError(Exception):
    """The parent of them all."""


class ServerUnreachable(SwitchboardError):
    """Nobody answered at ``server``, however often it was tried."""

    def __init__(self, server: str, reason: str) -> None:
        super().__init__(f"No answer from {server}: {reason}" if reason else f"{server} is silent")
        self.server = server
        self.reason = reason


class UnexpectedAnswer(SwitchboardError):
    """An answer that the API does not give: something else serves at this address."""


class ConnectionFailed(SwitchboardError):
    """A call's media connection could not be made, or was lost."""

    def __init__(self, detail: str, *, advice: str = "") -> None:
        super().__init__(f"{detail} {advice}".strip())
        self.detail = detail
        self.advice = advice


class StreamLost(SwitchboardError):
    """A live view could not be taken up again. It can be later, after ``last_id``."""

    def __init__(self, reason: str, last_id: str | None) -> None:
        super().__init__(f"The live view was lost: {reason}")
        self.last_id = last_id


class RecordingNotReady(SwitchboardError):
    """A recording has no files to fetch: it is ``processing``, or has ``failed``."""

    def __init__(self, status: str, detail: str | None) -> None:
        super().__init__(f"The recording is {status}." + (f" {detail}" if detail else ""))
        self.status = status


class ApiError(SwitchboardError):
    """The API refused: an ``application/problem+json`` document (RFC 9457).

    Each ``code`` that the API declares has a class of its own in ``switchboard_client.problems``;
    an error with another code is an ``ApiError`` itself.
    """

    code: str | None = None
    """The kind of problem, for programs. ``None``: the answer was no problem document, as from a
    proxy in between."""

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
        """What is wrong with the request, and what would be right."""
        self.document: Mapping[str, Any] = document or {}
        """All of it, with members of the problem's own such as ``blockers``."""
        self.retry_after_seconds = retry_after_seconds
        """How long the API asks to wait before the next try, if it does."""
        if self.code is None:
            code = self.document.get("code")
            self.code = code if isinstance(code, str) else None

    @property
    def request_id(self) -> str | None:
        """What to quote to the operator of the installation."""
        return self.document.get("request_id")

    @property
    def errors(self) -> list[dict[str, str]]:
        """Of an invalid request: ``field`` and ``message`` of everything that is wrong."""
        return list(self.document.get("errors") or ())

    @property
    def limit(self) -> float | None:
        """Of an exhausted quota: how much there is of it."""
        return self.document.get("limit")

    @property
    def used(self) -> float | None:
        """Of an exhausted quota: how much of it is used."""
        return self.document.get("used")
