"""``switchboard encryption``: the keys that protect tenants' secrets at rest."""

from __future__ import annotations

import typer

from switchboard.commands.options import DataDir
from switchboard.commands.settings import command_settings

app = typer.Typer(no_args_is_help=True, help="The keys that protect tenants' secrets at rest.")


@app.command()
def rotate(data_dir: DataDir = None) -> None:
    """Encrypt every stored secret again with the first key of SWITCHBOARD_ENCRYPTION_KEYS.

    To change the key: put the new one before the old one and restart everything. Run this command
    until it has nothing left to encrypt. When the calls in progress have ended, take the old key
    out and restart everything. Exit code 1 if no key opens one of the secrets, 2 if the database
    refused.
    """
    from switchboard.commands.encryption_rotation import run_rotation
    from switchboard.logs import log_to_file

    settings = command_settings(data_dir)
    log_to_file(settings.data_dir, "encryption", settings.log_level)
    raise typer.Exit(run_rotation(settings, typer.echo))


@app.command("bridge-key")
def show_bridge_key(data_dir: DataDir = None) -> None:
    """Print the key with which telephony bridges open carriers' credentials.

    It is made from SWITCHBOARD_SECRET_KEY and opens nothing else. Give it to each bridge that you
    run yourself as SWITCHBOARD_BRIDGE_ACCOUNT_KEY. Exit code 1 without a secret key.
    """
    from contracts.sealing import bridge_key
    from switchboard.state import read_secrets

    settings = command_settings(data_dir)
    kept = read_secrets(settings.data_dir)
    secret_key = settings.secret_key or (kept.secret_key if kept is not None else None)
    if secret_key is None:
        typer.echo("SWITCHBOARD_SECRET_KEY is not set.", err=True)
        raise typer.Exit(1)
    typer.echo(bridge_key(secret_key))
