"""Opens an account through the operator's route and keeps its key."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.text import Text

from switchboard.command_name import command_name
from switchboard.commands.api.operator_access import (
    OperatorAccess,
    operator_access,
    run_as_operator,
)
from switchboard.own_account import OwnAccount, read_own_account, write_own_account
from switchboard_client import ApiError, AsyncSwitchboard


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
    return run_as_operator(lambda console: _create(wanted, console))


async def _create(wanted: NewAccount, console: Console) -> None:
    access = operator_access(wanted.data_dir, wanted.api_url, wanted.operator_token)
    kept = read_own_account(wanted.data_dir) if access.is_of_data_dir else None
    if kept and not wanted.is_another and await _is_open(access.url, kept):
        _say(console, f"There is an account already: {kept.name}. For one more, add --another.")
        _show_next_step(console)
        return
    async with AsyncSwitchboard(access.url, access.token) as operator:
        opened = await operator.request(
            "POST",
            "/v1/operator/tenants",
            body={"name": wanted.name, "owner_email": wanted.email},
        )
    account = OwnAccount(
        tenant_id=opened["tenant_id"], name=wanted.name, secret_key=opened["api_key"]
    )
    # First the key, and whatever comes then: nobody can ask for it again.
    where = _kept(account, wanted.data_dir, access)
    try:
        async with AsyncSwitchboard(access.url, account.secret_key) as api:
            credit = (await api.billing.balance()).balance_usd
        _say(console, f"The account {wanted.name} is open, with ${credit:,.2f} of credit.")
    finally:
        _say(console, where)
    _show_next_step(console)


def _kept(account: OwnAccount, data_dir: Path, access: OperatorAccess) -> str:
    """Where the account's key is, as a sentence. That of another installation is not kept: it would
    replace the one of the installation here."""
    not_kept = "is not kept here"
    if access.is_of_data_dir:
        try:
            path = write_own_account(data_dir, account)
        except OSError as error:
            not_kept = f"cannot be kept in {data_dir} ({error.strerror})"
        else:
            return f"Its key is in {path}; the commands on this machine use it."
    return (
        f"Its key {not_kept}. Give it to the commands in SWITCHBOARD_API_KEY, with --api-url "
        f"{access.url}: {account.secret_key}"
    )


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
