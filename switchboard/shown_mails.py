"""Mails for which there is no mail server: ``up`` tells of each one in its terminal."""

from __future__ import annotations

import asyncio
import email
import email.policy
import re
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from control_plane.platform.mail.outbox_folder import FILES

_TOKEN_LINK = r"/[!-~]+\?token=[!-~]+"


class OutboxFolder:
    """The mails that were not there when it was first looked at."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen = set(folder.glob(FILES))

    def new(self) -> list[Path]:
        """Those written since the last look, the oldest first. Blocks."""
        found = sorted(set(self._folder.glob(FILES)) - self._seen)
        self._seen.update(found)
        return found


def told(path: Path, *, links_to: str | None) -> str | None:
    """A line about a mail; ``None`` when its file cannot be read. Blocks.

    Args:
        links_to: the installation's address. The line has the mail's link there, which lets its
            reader into the account; ``None``: it has the file's path.
    """
    try:
        with path.open("rb") as file:
            mail = email.message_from_binary_file(file, policy=email.policy.SMTP)
    except OSError:
        return None
    where = str(path)
    body = mail.get_body(("plain",))
    if links_to is not None and body is not None:
        link = re.search(re.escape(links_to) + _TOKEN_LINK, body.get_content())
        where = link[0] if link else where
    line = f"Mail to {mail['To']}, “{mail['Subject']}”: {where}"
    # Subjects can have what users wrote, and a terminal acts on control characters.
    return "".join(character for character in line if character.isprintable())


async def show_mails(
    folder: Path, console: Console, public_url: str, *, every_seconds: float = 0.5
) -> None:
    """Tell of each new mail until cancelled. Only a terminal gets the links: logs have other
    readers."""
    links_to = public_url if console.is_terminal else None
    outbox = await asyncio.to_thread(OutboxFolder, folder)
    while True:
        await asyncio.sleep(every_seconds)
        for path in await asyncio.to_thread(outbox.new):
            line = await asyncio.to_thread(told, path, links_to=links_to)
            if line is not None:
                console.print(escape(line), highlight=False, soft_wrap=True)
