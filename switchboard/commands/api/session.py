"""One command's run against the API: its connection, its output and its exit code."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import typer
from rich.console import Console

from switchboard.commands.api.access import api_access
from switchboard.commands.settings import command_settings
from switchboard.problems import Problem, client_errors_as_problems, show_problem
from switchboard_client import AsyncSwitchboard
from switchboard_client.wire_model import WireModel

INTERRUPTED = 130
"""The exit code that shells report for a program that Ctrl-C ended."""
_TIMEOUT_SECONDS = 90.0
"""Long enough for a language model to write an agent twice."""
_ADVICE = {
    401: "Check --api-key, or the environment variable SWITCHBOARD_API_KEY.",
    403: "Use a secret key of the account.",
    404: "Check the id: the list command of the same group shows the ids that this key can see.",
    503: "Try again in a moment.",
}

AnswerT = TypeVar("AnswerT", bound=WireModel)


@dataclass(frozen=True)
class Session:
    """What a command works with.

    ``console`` is standard output and takes the command's result; ``notes`` is standard error and
    takes everything else.
    """

    client: AsyncSwitchboard
    api_url: str
    as_json: bool
    console: Console
    notes: Console

    def show(self, answer: AnswerT, view: Callable[[Session, AnswerT], None]) -> None:
        """Print an answer of the API: as its JSON with ``--json``, otherwise with ``view``."""
        if self.as_json:
            self.print_json(document_of(answer))
        else:
            view(self, answer)

    def print_json(self, document: Any) -> None:
        typer.echo(json.dumps(document, indent=2, ensure_ascii=False))


def document_of(answer: WireModel) -> dict[str, Any]:
    """The JSON object that the API sent."""
    return answer.model_dump(mode="json", by_alias=True, exclude_unset=True)


def run(
    work: Callable[[Session], Awaitable[None]],
    *,
    api_url: str | None,
    api_key: str | None,
    data_dir: Path | None,
    as_json: bool,
) -> None:
    """Await ``work`` with a session.

    Raises:
        typer.Exit: with 1 when the API refused or could not be reached, with 130 on Ctrl-C, or
            with the code that ``work`` chose.
    """
    notes = Console(stderr=True)

    async def connected() -> None:
        access = api_access(command_settings(data_dir).data_dir, api_url, api_key)
        with client_errors_as_problems(_ADVICE):
            client = AsyncSwitchboard(access.url, access.key, timeout_seconds=_TIMEOUT_SECONDS)
            async with client:
                await work(Session(client, access.url, as_json, Console(), notes))

    try:
        asyncio.run(connected())
    except Problem as problem:
        show_problem(notes, problem)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
