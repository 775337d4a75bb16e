"""API keys on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from switchboard.command_name import command_name
from switchboard.commands.tables import id_column, list_table, local_time, show_page

if TYPE_CHECKING:
    from switchboard.commands.api.session import Session
    from switchboard_client.models import (
        ApiKeyCreated,
        ApiKeyList,
        ApiKeyRevoked,
        ApiKeyRotated,
        ApiKeyView,
    )


def show_key(session: Session, key: ApiKeyCreated | ApiKeyRotated) -> None:
    """Print only the secret to standard output, so that a script can read it."""
    sentence = f"{key.kind.capitalize()} key '{key.name}', id {key.id}. It is shown only once:"
    session.notes.print(Text(sentence), soft_wrap=True)
    session.console.print(Text(key.key), soft_wrap=True)


def show_rotated(session: Session, key: ApiKeyRotated) -> None:
    show_key(session, key)
    if key.overlap_ends_at:
        until = local_time(key.overlap_ends_at)
        session.notes.print(f"The old secret works until {until}.", style="dim")


def show_keys(session: Session, page: ApiKeyList) -> None:
    table = list_table(id_column(), "Name", "Kind", "Key", "Last used", "State")
    for key in page.api_keys:
        table.add_row(
            str(key.id),
            Text(key.name),
            key.kind,
            key.hint,
            local_time(key.last_used_at),
            _state(key),
        )
    make_one = f"No keys yet. Make one: {command_name()} keys create"
    show_page(session, table, page.total, when_empty=make_one)


def show_revoked(session: Session, revoked: ApiKeyRevoked) -> None:
    session.console.print(f"Key {revoked.id} is revoked.", soft_wrap=True, highlight=False)


def _state(key: ApiKeyView) -> str:
    if key.revoked_at:
        return f"revoked {local_time(key.revoked_at)}"
    if key.overlap_ends_at:
        return f"old secret until {local_time(key.overlap_ends_at)}"
    return "active"
