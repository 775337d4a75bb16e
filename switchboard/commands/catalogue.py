"""``switchboard catalogue``: models, voices, managed SKUs and prices."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from switchboard.commands.options import ApiUrl, DataDir, OperatorToken

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(
    help="Models, voices and prices: load them, add a model of your own, set the fee.",
    no_args_is_help=True,
)

_MOST_USD = 1000
_DECIMAL_PLACES = 6
"""A price is a whole number of millionths of a dollar."""


def _usd(typed: str) -> Decimal:
    try:
        usd = Decimal(typed)
    except InvalidOperation:
        raise typer.BadParameter(f"{typed!r} is not an amount such as 0.015.") from None
    if not usd.is_finite() or not 0 <= usd <= _MOST_USD:
        raise typer.BadParameter(f"{typed} is not in the range from 0 to {_MOST_USD}.")
    if usd != round(usd, _DECIMAL_PLACES):
        raise typer.BadParameter(f"{typed} has more than {_DECIMAL_PLACES} decimal places.")
    return usd


@app.command("load")
def load(
    file: Annotated[
        Path | None,
        typer.Argument(
            exists=True,
            dir_okay=False,
            readable=True,
            help="A catalogue data file. Default: the file of this release",
            show_default=False,
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Also overwrite what operators have edited.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Bring the catalogue in line with a data file. Safe to repeat.

    Works on SWITCHBOARD_DATABASE_URL, or on the database of the Switchboard that runs here.
    """
    from switchboard.commands.catalogue_load import load as load_file

    raise typer.Exit(load_file(file, overwrite=overwrite, as_json=as_json, data_dir=data_dir))


@app.command("add-model")
def add_model(
    model: Annotated[str, typer.Argument(help="The model's name on your server.")],
    provider: Annotated[
        str, typer.Option(help="The provider that serves it.")
    ] = "openai_compatible",
    provider_name: Annotated[
        str, typer.Option(help="What people read as its provider, such as Ollama.")
    ] = "Our own server",
    label: Annotated[
        str | None, typer.Option(help="What people read. Default: its name.", show_default=False)
    ] = None,
    price: Annotated[
        Decimal, typer.Option(parser=_usd, metavar="USD", help="US dollars for a minute.")
    ] = Decimal(0),
    operator_token: OperatorToken = None,
    api_url: ApiUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Offer a language model of your own server to all agents, before the others."""
    from switchboard.commands import catalogue_changes
    from switchboard.commands.api.operator_access import operator_access, run_as_operator
    from switchboard.commands.settings import command_settings

    own = catalogue_changes.OwnModel(
        model=model,
        provider=provider,
        provider_name=provider_name,
        label=label or model,
        usd_per_minute=price,
    )
    directory = command_settings(data_dir).data_dir

    async def work(console: Console) -> None:
        access = operator_access(directory, api_url, operator_token)
        await catalogue_changes.add_model(access, own, console)

    raise typer.Exit(run_as_operator(work))


@app.command("platform-fee")
def platform_fee(
    usd: Annotated[Decimal, typer.Argument(parser=_usd, help="US dollars for a minute.")],
    operator_token: OperatorToken = None,
    api_url: ApiUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Set what a minute of a custom agent's call costs besides its models, from now on."""
    from switchboard.commands import catalogue_changes
    from switchboard.commands.api.operator_access import operator_access, run_as_operator
    from switchboard.commands.settings import command_settings

    directory = command_settings(data_dir).data_dir

    async def work(console: Console) -> None:
        access = operator_access(directory, api_url, operator_token)
        await catalogue_changes.set_platform_fee(access, usd, console)

    raise typer.Exit(run_as_operator(work))
