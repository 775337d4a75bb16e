"""The doctor tries what the settings name outside of Switchboard, before a mail is lost to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from aiosmtpd.controller import Controller

from switchboard.doctor import services
from switchboard.services.ports import LOOPBACK, free_port
from switchboard.settings import Settings
from tests.switchboard.commands.stand_in_api import stand_in_api

VENDORS = ("openai", "google", "anthropic", "deepgram", "elevenlabs", "cartesia")


@contextmanager
def mail_server() -> Iterator[int]:
    port = free_port()
    controller = Controller(object(), hostname=LOOPBACK, port=port)
    controller.start()
    try:
        yield port
    finally:
        controller.stop()


def test_without_settings_nothing_is_asked() -> None:
    settings = Settings()
    assert [
        *services.mail(settings),
        *services.addresses(settings),
        *services.invoice_font(settings),
    ] == []


def test_a_mail_server_that_takes_no_mail_is_named_with_its_reason() -> None:
    settings = Settings(smtp_host=LOOPBACK, smtp_port=free_port(), smtp_encryption="none")
    [finding] = services.mail(settings)
    assert finding.level == "warn"
    assert f"{LOOPBACK}:{settings.smtp_port} takes no mail (SMTPConnectError" in finding.found
    assert "SWITCHBOARD_SMTP_" in finding.remedy


def test_a_mail_server_without_the_encryption_that_is_wanted_takes_no_mail() -> None:
    with mail_server() as port:
        [plain] = services.mail(
            Settings(smtp_host=LOOPBACK, smtp_port=port, smtp_encryption="none")
        )
        [starttls] = services.mail(Settings(smtp_host=LOOPBACK, smtp_port=port))
    assert (plain.level, starttls.level) == ("ok", "warn")


@pytest.mark.parametrize("vendor", VENDORS)
def test_an_address_of_a_vendor_that_does_not_answer_is_named_by_its_variable(vendor: str) -> None:
    address = f"http://user:secret@{LOOPBACK}:{free_port()}"
    [finding] = services.addresses(Settings().model_copy(update={f"{vendor}_base_url": address}))
    assert (finding.subject, finding.level) == (f"{vendor.upper()}_BASE_URL", "warn")
    assert "secret" not in finding.found + finding.remedy


def test_an_address_that_answers_anything_is_fine() -> None:
    with stand_in_api() as api:
        findings = services.addresses(Settings(openai_base_url=api.url, otlp_endpoint=api.url))
    assert [each.level for each in findings] == ["ok", "ok"]


def test_traces_that_nobody_takes_are_warned_of() -> None:
    [finding] = services.addresses(Settings(otlp_endpoint="localhost:4318"))
    assert (finding.subject, finding.level) == ("SWITCHBOARD_OTLP_ENDPOINT", "warn")


def test_a_font_that_is_none_is_warned_of(tmp_path: Path) -> None:
    no_font = tmp_path / "font.ttf"
    no_font.write_text("a letter")
    for path in (no_font, tmp_path / "missing.ttf"):
        [finding] = services.invoice_font(Settings(invoice_font=path))
        assert finding.level == "warn"
        assert str(path) in finding.found
