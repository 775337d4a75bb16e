"""Running one command against the API: its connection, its output and its exit code."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from switchboard.api_access import api_access
from switchboard.caller.problem_view import show_problem
from switchboard.caller.problems import CallProblem, RequestRefused, told_in_words
from switchboard.caller.public_api import PublicApi
from switchboard.command_settings import command_settings
from switchboard_client import AsyncSwitchboard

INTERRUPTED = 130
"""What a shell reports for a program that Ctrl-C ended."""
_TIMEOUT_SECONDS = 90.0
"""A language model may have to write an agent twice."""
_ADVICE = {
    401: "Check --api-key, or the environment variable SWITCHBOARD_API_KEY.",
    403: "Use a secret key of the account.",
    404: "Check the id: the list command of the same group shows those of this key's account.",
    503: "Try again in a moment.",
}


@dataclass(frozen=True)
class Session:
    """What a command works with. Facts go to standard output, everything else beside it."""

    api: PublicApi
    as_json: bool
    console: Console
    notes: Console

    @property
    def client(self) -> AsyncSwitchboard:
        """The API with types."""
        return self.api.client

    def document(self, content: Any) -> None:
        """The answer, for a program."""
        typer.echo(json.dumps(content, indent=2, ensure_ascii=False))


Work = Callable[[Session], Awaitable[None]]


class CommandFailed(Exception):
    """The command has said why itself."""


def run(
    work: Work, *, api_url: str | None, api_key: str | None, data_dir: Path | None, as_json: bool
) -> None:
    """Do ``work`` and end the program: 0 when it was done, 1 when the API refused or could not be
    reached, 130 on Ctrl-C."""
    notes = Console(stderr=True)
    try:
        asyncio.run(_run(work, api_url, api_key, data_dir, as_json, notes))
    except RequestRefused as refused:
        show_problem(notes, refused.detail, _ADVICE.get(refused.status, ""))
        raise typer.Exit(1) from None
    except CallProblem as problem:
        show_problem(notes, problem.detail, problem.advice)
        raise typer.Exit(1) from None
    except CommandFailed:
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None


async def _run(
    work: Work,
    api_url: str | None,
    api_key: str | None,
    data_dir: Path | None,
    as_json: bool,
    notes: Console,
) -> None:
    access = api_access(command_settings(data_dir).data_dir, api_url, api_key)
    async with PublicApi(access.url, access.key, timeout_seconds=_TIMEOUT_SECONDS) as api:
        with told_in_words():
            await work(Session(api, as_json, Console(), notes))
