"""``switchboard keys``: API keys of the account."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from switchboard.commands.api.command import api_command
from switchboard.commands.options import Offset

if TYPE_CHECKING:
    from switchboard.commands.api.session import Session

app = typer.Typer(help="Make, list, rotate and revoke API keys.", no_args_is_help=True)

KeyId = Annotated[str, typer.Argument(metavar="ID", help="Id of the key: `switchboard keys list`.")]


class Kind(StrEnum):
    SECRET = "secret"
    PUBLISHABLE = "publishable"


class Channel(StrEnum):
    WEB = "web"
    PHONE = "phone"


@app.command("create")
@api_command()
async def create(
    session: Session,
    name: Annotated[str, typer.Option(help="What the key is for.")],
    kind: Annotated[
        Kind,
        typer.Option(help="A secret key may do everything, a publishable key only starts calls."),
    ] = Kind.SECRET,
    channel: Annotated[
        list[Channel] | None,
        typer.Option(
            help="Publishable: the calls that it may start; can be given twice. Default: web"
        ),
    ] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(help="Publishable: a website that may use it, like https://shop.example."),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(help="Publishable: an agent that it may call. Default: every agent"),
    ] = None,
    phone_agent: Annotated[
        str | None, typer.Option(help="Publishable: the one agent of its phone calls.")
    ] = None,
) -> None:
    """Make a key. It is shown only once."""
    from switchboard.commands.key_view import show_key

    scope = {
        "allowed_channels": [str(each) for each in channel or ()],
        "allowed_origins": origin,
        "allowed_agent_ids": agent,
        "phone_agent_id": phone_agent,
    }
    wanted = {"name": name, "kind": str(kind)} | {key: set_ for key, set_ in scope.items() if set_}
    session.show(await session.client.api_keys.create(wanted), show_key)


@app.command("list")
@api_command()
async def list_(
    session: Session,
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many to show.")] = 50,
    offset: Offset = 0,
) -> None:
    """List the account's keys, including revoked ones."""
    from switchboard.commands.key_view import show_keys

    session.show(await session.client.api_keys.page(limit=limit, offset=offset), show_keys)


@app.command("rotate")
@api_command()
async def rotate(
    session: Session,
    key_id: KeyId,
    overlap_seconds: Annotated[
        int,
        typer.Option(min=0, max=2_592_000, help="How long the old secret still works."),
    ] = 0,
) -> None:
    """Give a key a new secret. It is shown only once."""
    from switchboard.commands.key_view import show_rotated

    rotated = await session.client.api_keys.rotate(key_id, overlap_seconds=overlap_seconds)
    session.show(rotated, show_rotated)


@app.command("revoke")
@api_command()
async def revoke(session: Session, key_id: KeyId) -> None:
    """Close a key for good."""
    from switchboard.commands.key_view import show_revoked

    session.show(await session.client.api_keys.revoke(key_id), show_revoked)
