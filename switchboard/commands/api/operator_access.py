"""Which API an operator's command talks to, and with which token."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from switchboard.commands.api.address import api_address
from switchboard.problems import Problem, client_errors_as_problems, show_problem
from switchboard.state import read_secrets, read_state

_ADVICE = {401: "Check --operator-token, or the environment variable SWITCHBOARD_OPERATOR_TOKEN."}


@dataclass(frozen=True)
class OperatorAccess:
    url: str
    token: str = field(repr=False)
    is_of_data_dir: bool
    """Whether it is the installation that runs in the data directory."""


def operator_access(
    data_dir: Path, api_url: str | None, operator_token: str | None
) -> OperatorAccess:
    """The given address and token. Defaults: those of the Switchboard that runs in ``data_dir``,
    whose token is sent nowhere else.

    Raises:
        Problem: one of them is not known.
    """
    state, secrets = read_state(data_dir), read_secrets(data_dir)
    here = None if state is None else state.api_url
    if api_url is None and here is None:
        raise Problem(
            "No Switchboard has been started here.",
            "Start one with `make up`, or name another with --api-url.",
        )
    url = api_address(api_url or here or "")
    token = operator_token or (secrets.operator_token if secrets and url == here else None)
    if token is None:
        raise Problem(
            "The operator's token is needed.",
            "Give it with --operator-token or in SWITCHBOARD_OPERATOR_TOKEN.",
        )
    return OperatorAccess(url, token, is_of_data_dir=url == here)


def run_as_operator(work: Callable[[Console], Awaitable[None]]) -> int:
    """Await ``work``. Returns the exit code: 1 when the API refused or could not be reached."""

    async def done() -> None:
        with client_errors_as_problems(_ADVICE):
            await work(Console())

    try:
        asyncio.run(done())
    except Problem as problem:
        show_problem(Console(stderr=True), problem)
        return 1
    return 0
