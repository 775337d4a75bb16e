from __future__ import annotations

import asyncio
import io
from pathlib import Path

import pytest
from rich.console import Console

from control_plane.identity.accounts.mails import confirmation_mail, new_device_mail
from control_plane.platform.mail.mail import Mail
from control_plane.platform.mail.mailer import Mailer
from control_plane.platform.tenancy.caller import RequestOrigin
from switchboard.shown_mails import OutboxFolder, show_mails, told

URL = "http://127.0.0.1:8080"
TOKEN = "a-long-token-" + "of-many-characters" * 8
CONFIRM = confirmation_mail("Mia <mia@example.com>", TOKEN, public_url=URL)
NEW_DEVICE = new_device_mail("mia@example.com", RequestOrigin(None, None), public_url=URL)
DEADLINE_SECONDS = 20


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "outbox"


async def send(folder: Path, mail: Mail) -> None:
    await Mailer(None, folder).send(mail)


async def test_a_mail_is_told_of_with_the_link_in_it(folder: Path) -> None:
    outbox = OutboxFolder(folder)
    await send(folder, CONFIRM)
    [path] = outbox.new()
    line = told(path, links_to=URL)
    assert line is not None
    assert line.endswith(f"“Confirm your mail address”: {URL}/confirm-email?token={TOKEN}")
    assert "mia@example.com" in line
    assert outbox.new() == []


async def test_where_others_read_along_the_link_is_not_told(folder: Path) -> None:
    outbox = OutboxFolder(folder)
    await send(folder, CONFIRM)
    [path] = outbox.new()
    assert told(path, links_to=None) == (
        f"Mail to Mia <mia@example.com>, “Confirm your mail address”: {path}"
    )


async def test_a_mail_without_such_a_link_is_told_of_by_its_file(folder: Path) -> None:
    outbox = OutboxFolder(folder)
    await send(folder, NEW_DEVICE)
    [path] = outbox.new()
    assert str(path) in (told(path, links_to=URL) or "")


async def test_no_text_of_users_commands_the_terminal(folder: Path) -> None:
    outbox = OutboxFolder(folder)
    elsewhere = "http://127.0.0.2/confirm-email?token=x"
    await send(folder, Mail("mia@example.com", "\x1b[2JJoin \x07us", f"\x1b[2J\n{elsewhere}\n"))
    [path] = outbox.new()
    line = told(path, links_to=URL)
    assert line is not None
    assert line.isprintable()
    assert elsewhere not in line


async def test_older_mails_are_not_told_of(folder: Path) -> None:
    await send(folder, CONFIRM)
    assert OutboxFolder(folder).new() == []


def test_a_mail_that_is_gone_is_not_told_of(folder: Path) -> None:
    assert told(folder / "gone.eml", links_to=URL) is None


async def test_a_new_mail_appears_in_the_terminal(folder: Path) -> None:
    output = io.StringIO()
    console = Console(file=output, force_terminal=True, color_system=None, width=80)
    showing = asyncio.create_task(show_mails(folder, console, URL, every_seconds=0.01))
    try:
        async with asyncio.timeout(DEADLINE_SECONDS):
            while TOKEN not in output.getvalue():
                await send(folder, CONFIRM)
                await asyncio.sleep(0.02)
    finally:
        showing.cancel()
    assert f"{URL}/confirm-email?token={TOKEN}" in output.getvalue(), "in one line"
