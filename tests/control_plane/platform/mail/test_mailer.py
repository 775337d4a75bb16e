"""Sending mail to real SMTP servers, good and bad, and to a folder where there is none."""

from __future__ import annotations

import asyncio
import ssl
import stat
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any, cast

import pytest
import structlog
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword

from control_plane.platform.mail.mail import Mail
from control_plane.platform.mail.mailer import Mailer
from control_plane.platform.settings import SmtpSettings
from tests.certificate import self_signed

MAIL = Mail("mia@example.com", "Grüße an Mia", "Guten Tag,\n\n.\nauch mit Umlauten: äöü 🐎\n")


class Mailbox:
    """Takes every mail that arrives."""

    def __init__(self) -> None:
        self.envelopes: list[Envelope] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Envelope) -> str:
        self.envelopes.append(envelope)
        return "250 OK"

    @property
    def messages(self) -> list[EmailMessage]:
        return [
            cast(EmailMessage, message_from_bytes(cast(bytes, one.content), policy=default))
            for one in self.envelopes
        ]


class Refusing:
    async def handle_RCPT(
        self, server: Any, session: Any, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        return "550 no such mailbox"


@asynccontextmanager
async def listening(
    protocol: Callable[[], asyncio.BaseProtocol], context: ssl.SSLContext | None = None
) -> AsyncIterator[int]:
    """A server on a free port of this machine."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(protocol, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


def smtp(handler: object, **options: Any) -> Callable[[], asyncio.BaseProtocol]:
    return lambda: SMTP(handler, hostname="mail.test", **options)


def mailer(folder: Path, port: int, **options: Any) -> Mailer:
    settings: dict[str, Any] = {
        "host": "127.0.0.1",
        "port": port,
        "encryption": "none",
        "sender": "Switchboard <noreply@example.org>",
        "timeout_seconds": 3.0,
    }
    return Mailer(SmtpSettings(**(settings | options)), folder)


@pytest.fixture
def server_tls(tmp_path: Path) -> tuple[ssl.SSLContext, Path]:
    """A server's TLS, and the certificate that a client has to trust for it."""
    return self_signed(tmp_path)


def _files_in(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def _file_in(folder: Path) -> Path:
    path = folder / "file"
    path.touch()
    return path


async def _is_refused_for(one: Mailer, reason: str) -> bool:
    with structlog.testing.capture_logs() as logs:
        sent = await one.send(MAIL)
    [line] = [line for line in logs if line["event"] == "mail_not_sent"]
    assert reason in line["reason"], line
    return sent is False


async def test_a_mail_arrives_as_it_was_written(tmp_path: Path) -> None:
    mailbox = Mailbox()
    async with listening(smtp(mailbox)) as port:
        assert await mailer(tmp_path, port).send(MAIL) is True

    [envelope], [message] = mailbox.envelopes, mailbox.messages
    assert (envelope.mail_from, envelope.rcpt_tos) == ("noreply@example.org", ["mia@example.com"])
    assert message["From"] == "Switchboard <noreply@example.org>"
    assert message["To"] == "mia@example.com"
    assert message["Subject"] == "Grüße an Mia"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Message-ID"].endswith("@example.org>")
    assert message["Date"].datetime.tzinfo is not None
    assert message.get_content().replace("\r\n", "\n") == MAIL.text
    assert _files_in(tmp_path) == []


@pytest.mark.parametrize("encryption", ["starttls", "tls"])
async def test_a_mail_goes_encrypted(
    tmp_path: Path,
    server_tls: tuple[ssl.SSLContext, Path],
    monkeypatch: pytest.MonkeyPatch,
    encryption: str,
) -> None:
    context, certificate = server_tls
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    mailbox = Mailbox()
    if encryption == "tls":
        server = listening(smtp(mailbox), context)
    else:
        server = listening(smtp(mailbox, tls_context=context, require_starttls=True))
    async with server as port:
        assert await mailer(tmp_path, port, encryption=encryption).send(MAIL) is True
    assert len(mailbox.messages) == 1


@pytest.mark.parametrize("encryption", ["starttls", "tls"])
async def test_a_certificate_that_nobody_vouches_for_gets_no_mail(
    tmp_path: Path, server_tls: tuple[ssl.SSLContext, Path], encryption: str
) -> None:
    context, _ = server_tls
    mailbox = Mailbox()
    if encryption == "tls":
        server = listening(smtp(mailbox), context)
    else:
        server = listening(smtp(mailbox, tls_context=context))
    async with server as port:
        one = mailer(tmp_path, port, encryption=encryption)
        assert await _is_refused_for(one, "certificate verify failed")
    assert mailbox.messages == []


async def test_a_server_without_starttls_gets_neither_password_nor_mail(tmp_path: Path) -> None:
    mailbox = Mailbox()
    seen: list[object] = []

    def remember(*arguments: object) -> AuthResult:
        seen.append(arguments)
        return AuthResult(success=True)

    server = smtp(mailbox, authenticator=remember, auth_require_tls=False)
    async with listening(server) as port:
        one = mailer(tmp_path, port, encryption="starttls", username="u", password="p")
        assert await _is_refused_for(one, "STARTTLS")
    assert (mailbox.messages, seen) == ([], [])


@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
@pytest.mark.parametrize(("password", "is_sent"), [("right", True), ("wrong", False)])
async def test_the_server_asks_for_a_password(tmp_path: Path, password: str, is_sent: bool) -> None:
    def check(server: Any, session: Any, envelope: Any, how: str, data: Any) -> AuthResult:
        assert isinstance(data, LoginPassword)
        is_right = (data.login, data.password) == (b"switchboard", b"right")
        return AuthResult(success=is_right, handled=False)

    mailbox = Mailbox()
    server = smtp(mailbox, authenticator=check, auth_required=True, auth_require_tls=False)
    async with listening(server) as port:
        one = mailer(tmp_path, port, username="switchboard", password=password)
        if is_sent:
            assert await one.send(MAIL) is True
        else:
            assert await _is_refused_for(one, "SMTPAuthenticationError")
    assert len(mailbox.messages) == is_sent


async def test_a_server_that_is_down_is_no_error(tmp_path: Path) -> None:
    async with listening(asyncio.Protocol) as port:
        pass
    assert await _is_refused_for(mailer(tmp_path, port), "SMTPConnectError")


async def test_a_host_that_does_not_exist_is_no_error(tmp_path: Path) -> None:
    one = mailer(tmp_path, 25, host="mail.invalid")
    assert await _is_refused_for(one, "SMTPConnectError")


async def test_a_server_that_hangs_is_given_up(tmp_path: Path) -> None:
    async with listening(asyncio.Protocol) as port:
        one = mailer(tmp_path, port, timeout_seconds=0.3)
        started_at = time.monotonic()
        assert await _is_refused_for(one, "Timeout")
        assert time.monotonic() - started_at < 2.0


async def test_a_server_that_answers_ever_so_slowly_is_given_up_as_well(tmp_path: Path) -> None:
    """Each line in time, all of them together not."""

    class Slow(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.transport = cast(asyncio.WriteTransport, transport)
            self.transport.write(b"220 mail.test\r\n")

        def data_received(self, data: bytes) -> None:
            asyncio.get_running_loop().call_later(0.2, self.transport.write, b"250 OK\r\n")

    async with listening(Slow) as port:
        one = mailer(tmp_path, port, timeout_seconds=0.5)
        started_at = time.monotonic()
        assert await _is_refused_for(one, "Timeout")
        assert time.monotonic() - started_at < 2.0


async def test_a_mail_that_was_accepted_is_sent_although_the_server_does_not_say_goodbye(
    tmp_path: Path,
) -> None:
    class Silent(Mailbox):
        async def handle_QUIT(self, server: Any, session: Any, envelope: Envelope) -> str:
            await asyncio.Event().wait()
            return "221 Bye"

    mailbox = Silent()
    async with listening(smtp(mailbox)) as port:
        assert await mailer(tmp_path, port, timeout_seconds=0.3).send(MAIL) is True
    assert len(mailbox.messages) == 1


async def test_what_is_no_mail_server_is_no_error(tmp_path: Path) -> None:
    class Web(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            cast(asyncio.WriteTransport, transport).write(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async with listening(Web) as port:
        assert await mailer(tmp_path, port).send(MAIL) is False


async def test_a_refused_recipient_is_no_error(tmp_path: Path) -> None:
    async with listening(smtp(Refusing())) as port:
        assert await _is_refused_for(mailer(tmp_path, port), "no such mailbox")


async def test_nothing_that_people_write_becomes_a_header(tmp_path: Path) -> None:
    mailbox = Mailbox()
    evil = "Hello\r\nBcc: everybody@example.com\r\n\r\nBuy\x00\u2028now " + "x" * 1000
    async with listening(smtp(mailbox)) as port:
        sent = await mailer(tmp_path, port).send(Mail("mia@example.com", evil, evil))
    assert sent is True
    [message], [envelope] = mailbox.messages, mailbox.envelopes
    assert message["Bcc"] is None
    assert message["Subject"].startswith("Hello Bcc: everybody@example.com Buy now xxx")
    assert envelope.rcpt_tos == ["mia@example.com"]


async def test_a_mail_whose_header_is_not_ours_is_not_sent(tmp_path: Path) -> None:
    mailbox, outbox = Mailbox(), tmp_path / "outbox"
    forged = Mail("=?utf-8?q?x=0d=0abcc=3a_everybody=40example.com?=@example.com", "Hello", "Hi")
    async with listening(smtp(mailbox)) as port:
        for one in (mailer(tmp_path, port), Mailer(None, outbox)):
            with structlog.testing.capture_logs() as logs:
                assert await one.send(forged) is False
            assert [line["event"] for line in logs] == ["mail_not_sent"]
    assert (mailbox.messages, outbox.exists()) == ([], False)


async def test_without_a_server_mails_are_files_that_only_we_can_read(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "outbox"
    one = Mailer(None, folder)
    assert one.sends_mail is False
    sent = await asyncio.gather(*(one.send(MAIL) for _ in range(20)))

    assert sent == [False] * 20
    paths = _files_in(folder)
    assert len(paths) == 20
    assert {path.suffix for path in paths} == {".eml"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    message = cast(EmailMessage, message_from_bytes(paths[0].read_bytes(), policy=default))
    assert (message["To"], message["Subject"]) == ("mia@example.com", "Grüße an Mia")


async def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    no_folder = _file_in(tmp_path)
    with structlog.testing.capture_logs() as logs:
        assert await Mailer(None, no_folder / "outbox").send(MAIL) is False
    assert [line["event"] for line in logs] == ["mail_not_written"]
