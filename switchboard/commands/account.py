"""``switchboard account``: an account on an installation of one's own."""

from __future__ import annotations

from typing import Annotated

import typer

from switchboard.commands.options import ApiUrl, DataDir, OperatorToken

app = typer.Typer(help="Open an account on your own installation.", no_args_is_help=True)


@app.command("create")
def create(
    name: Annotated[str, typer.Option(help="What the account is called.")] = "My account",
    email: Annotated[str, typer.Option(help="Mail address of its owner.")] = "owner@example.com",
    another: Annotated[
        bool, typer.Option("--another", help="Also if there is one already. The new one is kept.")
    ] = False,
    operator_token: OperatorToken = None,
    api_url: ApiUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Open an account. Its key is kept here, so that the other commands need none; that of an
    account on another installation is only shown."""
    from switchboard.commands.account_creation import NewAccount, create_account
    from switchboard.commands.settings import command_settings

    wanted = NewAccount(
        name=name,
        email=email,
        is_another=another,
        api_url=api_url,
        operator_token=operator_token,
        data_dir=command_settings(data_dir).data_dir,
    )
    raise typer.Exit(create_account(wanted))
