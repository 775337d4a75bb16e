"""``switchboard keys``: API keys of the account."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from switchboard.commands.options import ApiKey, ApiUrl, AsJson, DataDir

app = typer.Typer(help="Make, list, rotate and revoke API keys.", no_args_is_help=True)

KeyId = Annotated[str, typer.Argument(metavar="ID", help="Id of the key: `switchboard keys list`.")]


class Kind(StrEnum):
    SECRET = "secret"
    PUBLISHABLE = "publishable"


class Channel(StrEnum):
    WEB = "web"
    PHONE = "phone"


@app.command("create")
def create(
    name: Annotated[str, typer.Option(help="What the key is for.")],
    kind: Annotated[
        Kind, typer.Option(help="Secret keys do everything; publishable ones only start calls.")
    ] = Kind.SECRET,
    channel: Annotated[
        list[Channel] | None,
        typer.Option(help="Publishable: what it may start; may be given twice. Default: web"),
    ] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(help="Publishable: a page that may use it, like https://shop.example."),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(help="Publishable: an agent that it may call. Default: every agent"),
    ] = None,
    phone_agent: Annotated[
        str | None, typer.Option(help="Publishable: the one agent of its phone calls.")
    ] = None,
    api_url: ApiUrl = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Make a key. It is shown this once."""
    from switchboard.commands import key_work
    from switchboard.commands.session import run

    scope = {
        "allowed_channels": [str(each) for each in channel or ()],
        "allowed_origins": origin,
        "allowed_agent_ids": agent,
        "phone_agent_id": phone_agent,
    }
    wanted = {"name": name, "kind": str(kind)} | {key: set_ for key, set_ in scope.items() if set_}
    run(
        lambda session: key_work.create(session, wanted),
        api_url=api_url,
        api_key=api_key,
        data_dir=data_dir,
        as_json=as_json,
    )


@app.command("list")
def list_(
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many to show.")] = 50,
    offset: Annotated[int, typer.Option(min=0, help="How many to leave out first.")] = 0,
    api_url: ApiUrl = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """List the account's keys, revoked ones too."""
    from switchboard.commands import key_work
    from switchboard.commands.session import run

    run(
        lambda session: key_work.list_keys(session, limit, offset),
        api_url=api_url,
        api_key=api_key,
        data_dir=data_dir,
        as_json=as_json,
    )


@app.command("rotate")
def rotate(
    key_id: KeyId,
    overlap_seconds: Annotated[
        int,
        typer.Option(min=0, max=2_592_000, help="How long the old secret still works."),
    ] = 0,
    api_url: ApiUrl = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Give a key a new secret, which is shown this once."""
    from switchboard.commands import key_work
    from switchboard.commands.session import run

    run(
        lambda session: key_work.rotate(session, key_id, overlap_seconds),
        api_url=api_url,
        api_key=api_key,
        data_dir=data_dir,
        as_json=as_json,
    )


@app.command("revoke")
def revoke(
    key_id: KeyId,
    api_url: ApiUrl = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Close a key for good."""
    from switchboard.commands import key_work
    from switchboard.commands.session import run

    run(
        lambda session: key_work.revoke(session, key_id),
        api_url=api_url,
        api_key=api_key,
        data_dir=data_dir,
        as_json=as_json,
    )
