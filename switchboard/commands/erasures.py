"""``switchboard erasures``: erase the data of a caller, and show the proof."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from switchboard.commands.api.command import api_command
from switchboard.commands.options import Offset

if TYPE_CHECKING:
    from switchboard.commands.api.session import Session

app = typer.Typer(help="Erase the data of a caller, and show the proof.", no_args_is_help=True)

ErasureId = Annotated[
    str, typer.Argument(metavar="ID", help="Id of the erasure: `switchboard erasures list`.")
]


@app.command("create")
@api_command()
async def create(
    session: Session,
    number: Annotated[
        str | None, typer.Option(help="The caller's phone number, with + and country code.")
    ] = None,
    identity: Annotated[
        str | None, typer.Option(help="Or the identity of a browser participant.")
    ] = None,
    reason: Annotated[
        str | None, typer.Option(help="Kept in the proof, so do not name the caller here.")
    ] = None,
) -> None:
    """Erase everything that a caller said in any call. The calls must be over."""
    from switchboard.commands.erasure_view import show_erasure

    named = {"number": number, "identity": identity, "reason": reason}
    wanted = {name: value for name, value in named.items() if value is not None}
    session.show(await session.client.erasures.create(wanted), show_erasure)


@app.command("list")
@api_command()
async def list_(
    session: Session,
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many to show.")] = 50,
    offset: Offset = 0,
) -> None:
    """List the erasures, newest first."""
    from switchboard.commands.erasure_view import show_erasures

    session.show(await session.client.erasures.page(limit=limit, offset=offset), show_erasures)


@app.command("show")
@api_command()
async def show(session: Session, erasure_id: ErasureId) -> None:
    """Show how far an erasure has come."""
    from switchboard.commands.erasure_view import show_erasure

    session.show(await session.client.erasures.show(erasure_id), show_erasure)


@app.command("proof")
@api_command(with_json=False)
async def proof(session: Session, erasure_id: ErasureId) -> None:
    """Print the proof of a completed erasure, whose SHA-256 the audit log has."""
    from switchboard.commands.api.session import document_of

    document = document_of(await session.client.erasures.proof(erasure_id))
    typer.echo(json.dumps(document, sort_keys=True, indent=1), nl=False)
