"""What went wrong and what to do about it, in words for the person at the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

import switchboard_client
from switchboard.command_name import command_name
from switchboard_client import ApiError, SwitchboardError


class Problem(Exception):
    """``detail`` says what is wrong, ``advice`` what to do about it."""

    def __init__(self, detail: str, advice: str = "") -> None:
        super().__init__(f"{detail} {advice}".strip())
        self.detail = detail
        self.advice = advice


class ServerUnreachable(Problem):
    """No server answers at the address. ``reason``: a certificate that is not trusted, a name that
    is not known, and so on."""

    def __init__(self, server: str, reason: str) -> None:
        super().__init__(
            f"No Switchboard answers at {server} ({reason}).",
            f"Start one with `{command_name()} up` or `make demo`, or name another with --api-url.",
        )


class RequestRefused(Problem):
    """The API answered with the HTTP status ``status``, which is not a success."""

    def __init__(self, status: int, detail: str, advice: str) -> None:
        super().__init__(detail, advice)
        self.status = status


def problem_of(error: SwitchboardError, advice: Mapping[int, str]) -> Problem:
    """An error of the API client as a problem. ``advice``: what to do, by HTTP status."""
    match error:
        case ApiError():
            return RequestRefused(error.status, error.detail, advice.get(error.status, ""))
        case switchboard_client.ServerUnreachable():
            return ServerUnreachable(error.server, error.reason)
        case switchboard_client.ConnectionFailed():
            return Problem(error.detail, error.advice)
        case _:
            return Problem(str(error))


@contextmanager
def client_errors_as_problems(advice: Mapping[int, str]) -> Iterator[None]:
    """Raise ``Problem`` where the block raises an error of the API client."""
    try:
        yield
    except SwitchboardError as error:
        raise problem_of(error, advice) from error


def show_problem(console: Console, problem: Problem) -> None:
    """Print the fact and, below it, the advice."""
    console.print(Text.assemble(("  ✗ ", "red"), problem.detail), soft_wrap=True)
    if problem.advice:
        console.print(Text(f"    {problem.advice}", style="dim"), soft_wrap=True)
