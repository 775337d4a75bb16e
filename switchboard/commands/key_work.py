"""What the commands of ``switchboard keys`` do, through the public API."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from rich.table import Table
from rich.text import Text

from switchboard.commands.session import Session
from switchboard.commands.tables import id_column, local_time


async def create(session: Session, wanted: dict[str, Any]) -> None:
    _show_key(session, await session.api.post("/v1/api-keys", wanted))


async def list_keys(session: Session, limit: int, offset: int) -> None:
    page = await session.api.get("/v1/api-keys", limit=limit, offset=offset)
    if session.as_json:
        session.document(page)
        return
    keys = page["api_keys"]
    table = Table(
        id_column(), "Name", "Kind", "Key", "Last used", "State", box=None, pad_edge=False
    )
    for key in keys:
        table.add_row(
            key["id"],
            Text(key["name"]),
            key["kind"],
            key["hint"],
            local_time(key["last_used_at"]),
            _state(key),
        )
    session.console.print(table)
    if len(keys) < page["total"]:
        session.notes.print(f"{len(keys)} of {page['total']}; see --offset.", style="dim")


async def rotate(session: Session, key_id: str, overlap_seconds: int) -> None:
    rotated = await session.api.post(
        f"{_path(key_id)}/rotate", {"overlap_seconds": overlap_seconds}
    )
    _show_key(session, rotated)
    if not session.as_json and rotated.get("overlap_ends_at"):
        until = local_time(rotated["overlap_ends_at"])
        session.notes.print(f"The old secret works until {until}.", style="dim")


async def revoke(session: Session, key_id: str) -> None:
    revoked = await session.api.delete(_path(key_id))
    if session.as_json:
        session.document(revoked)
    else:
        session.console.print(f"Key {revoked['id']} is revoked.", soft_wrap=True, highlight=False)


def _show_key(session: Session, key: dict[str, Any]) -> None:
    """The secret alone on standard output, so that a script can take it."""
    if session.as_json:
        session.document(key)
        return
    said = f"{key['kind'].capitalize()} key '{key['name']}', id {key['id']}. Shown this once:"
    session.notes.print(Text(said), soft_wrap=True)
    session.console.print(Text(key["key"]), soft_wrap=True)


def _state(key: dict[str, Any]) -> str:
    if key["revoked_at"]:
        return f"revoked {local_time(key['revoked_at'])}"
    if key.get("overlap_ends_at"):
        return f"old secret until {local_time(key['overlap_ends_at'])}"
    return "active"


def _path(key_id: str) -> str:
    return f"/v1/api-keys/{quote(key_id, safe='')}"
