"""Opens an account through the operator's route and keeps its key."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.text import Text

from switchboard.command_name import command_name
from switchboard.commands.api_address import api_address
from switchboard.own_account import OwnAccount, read_own_account, write_own_account
from switchboard.problems import Problem, client_errors_as_problems, show_problem
from switchboard.state import read_secrets, read_state
from switchboard_client import ApiError, AsyncSwitchboard

_ADVICE = {401: "Check --operator-token, or the environment variable SWITCHBOARD_OPERATOR_TOKEN."}


@dataclass(frozen=True)
class NewAccount:
    """``api_url`` and ``operator_token``: without them, those of the Switchboard of ``data_dir``.
    ``is_another``: whether to open one although one is kept already."""

    name: str
    email: str
    is_another: bool
    api_url: str | None
    operator_token: str | None = field(repr=False)
    data_dir: Path


def create_account(wanted: NewAccount) -> int:
    """Returns the exit code: 0 when there is an account now."""
    try:
        with client_errors_as_problems(_ADVICE):
            asyncio.run(_create(wanted, Console()))
    except Problem as problem:
        show_problem(Console(stderr=True), problem)
        return 1
    return 0


async def _create(wanted: NewAccount, console: Console) -> None:
    url, token = _operator_access(wanted)
    kept = read_own_account(wanted.data_dir)
    if kept and not wanted.is_another and await _is_open(url, kept):
        _say(console, f"There is an account already: {kept.name}. For one more, add --another.")
        _show_next_step(console)
        return
    async with AsyncSwitchboard(url, token) as operator:
        opened = await operator.request(
            "POST",
            "/v1/operator/tenants",
            body={"name": wanted.name, "owner_email": wanted.email},
        )
    async with AsyncSwitchboard(url, opened["api_key"]) as api:
        credit = (await api.billing.balance()).balance_usd
    account = OwnAccount(
        tenant_id=opened["tenant_id"], name=wanted.name, secret_key=opened["api_key"]
    )
    path = write_own_account(wanted.data_dir, account)
    _say(console, f"The account {wanted.name} is open, with ${credit:,.2f} of credit.")
    _say(console, f"Its key is in {path}; the commands on this machine use it.")
    _show_next_step(console)


def _operator_access(wanted: NewAccount) -> tuple[str, str]:
    """The address of the API, and the operator's token for it. The token of the installation here
    is sent nowhere else.

    Raises:
        Problem: one of them is not known.
    """
    state, secrets = read_state(wanted.data_dir), read_secrets(wanted.data_dir)
    here = None if state is None else state.api_url
    if wanted.api_url is None and here is None:
        raise Problem(
            "No Switchboard has been started here.",
            "Start one with `make up`, or name another with --api-url.",
        )
    url = api_address(wanted.api_url or here or "")
    token = wanted.operator_token or (secrets.operator_token if secrets and url == here else None)
    if token is None:
        raise Problem(
            "The operator's token is needed.",
            "Give it with --operator-token or in SWITCHBOARD_OPERATOR_TOKEN.",
        )
    return url, token


async def _is_open(url: str, account: OwnAccount) -> bool:
    async with AsyncSwitchboard(url, account.secret_key) as api:
        try:
            await api.billing.balance()
        except ApiError as refused:
            if refused.status in (401, 403, 404):
                return False
            raise
    return True


def _show_next_step(console: Console) -> None:
    command = f'{command_name()} agents create --prompt "A receptionist who takes bookings: …"'
    _say(console, f"Next, make an agent:  {command}")


def _say(console: Console, sentence: str) -> None:
    console.print(Text(sentence), soft_wrap=True)
