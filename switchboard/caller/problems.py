"""Why a call could not be placed or held, in words for the person who placed it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import switchboard_client
from switchboard_client import ApiError, SwitchboardError


class CallProblem(Exception):
    """``detail`` says what is wrong, ``advice`` what to do about it."""

    def __init__(self, detail: str, advice: str = "") -> None:
        super().__init__(f"{detail} {advice}".strip())
        self.detail = detail
        self.advice = advice


class ServerUnreachable(CallProblem):
    def __init__(self, server: str) -> None:
        super().__init__(
            f"No Switchboard answers at {server}.",
            "Start one with `switchboard up` or `make demo`, or name another with --api-url.",
        )


class RequestRefused(CallProblem):
    """The API answered with a problem. ``code`` is the problem's own, where it has one."""

    def __init__(
        self, status: int, code: str | None, detail: str, problem: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(detail, _ADVICE.get(status, ""))
        self.status = status
        self.code = code
        self.problem = problem or {}
        """The whole document, with members of its own such as ``blockers``."""


class ConnectionFailed(CallProblem):
    """The media connection could not be made, or was lost."""


def in_words(error: SwitchboardError) -> CallProblem:
    """An error of the client, for the person at the terminal."""
    match error:
        case ApiError():
            return RequestRefused(error.status, error.code, error.detail, error.document)
        case switchboard_client.ServerUnreachable():
            return ServerUnreachable(error.server)
        case switchboard_client.ConnectionFailed():
            return ConnectionFailed(error.detail, error.advice)
        case _:
            return CallProblem(str(error))


@contextmanager
def told_in_words() -> Iterator[None]:
    """Around what uses the client."""
    try:
        yield
    except SwitchboardError as error:
        raise in_words(error) from error


class MissingModel(CallProblem):
    """A speech model of the caller is not installed."""


class MicrophoneProblem(CallProblem):
    """There is no usable microphone or loudspeaker."""


_ADVICE = {
    401: "Check --api-key, or the environment variable SWITCHBOARD_API_KEY.",
    402: "The account needs credit before it can call.",
    403: "This key may not place this call. Use a secret key of the agent's own account.",
    404: "Check the id: `switchboard agents list` shows the agents of this key's account.",
    409: "Publish the agent first: `switchboard agents publish ID` names what is missing.",
    503: "Switchboard cannot take the call right now. Try again in a moment.",
}
