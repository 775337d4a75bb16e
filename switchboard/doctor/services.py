"""What the settings name outside of Switchboard: servers, and a file."""

from __future__ import annotations

import asyncio
import struct

from pipelines.settings import OPENAI_COMPATIBLE
from switchboard.doctor.finding import Finding, ok, warn
from switchboard.package_settings import smtp_settings
from switchboard.settings import Settings

_ANSWER_SECONDS = 5.0


def mail(settings: Settings) -> list[Finding]:
    """Connects to the mail server and logs in. Empty without one."""
    smtp = smtp_settings(settings)
    if smtp is None:
        return []
    from control_plane.platform.mail.mailer import fault_of

    subject, server = "Mail server", f"{smtp.host}:{smtp.port}"
    if (fault := asyncio.run(fault_of(smtp))) is not None:
        return [
            warn(
                subject,
                f"{server} takes no mail ({fault})",
                "Correct SWITCHBOARD_SMTP_…: see docs/operator.md, “Mail”.",
            )
        ]
    return [ok(subject, f"{server} answers")]


def addresses(settings: Settings) -> list[Finding]:
    """Asks the addresses that stand in for the vendors' own, and the one that traces go to. Any
    answer over HTTP will do. Your own model has a check of its own."""
    named = {
        f"{provider.upper()}_BASE_URL": url
        for provider, url in settings.by_provider("base_url").items()
        if provider != OPENAI_COMPATIBLE
    }
    if settings.otlp_endpoint is not None:
        named["SWITCHBOARD_OTLP_ENDPOINT"] = settings.otlp_endpoint
    return [_answers(variable, url) for variable, url in named.items()]


def invoice_font(settings: Settings) -> list[Finding]:
    """Empty without a font of your own."""
    path = settings.invoice_font
    if path is None:
        return []
    from fontTools.ttLib import TTLibError

    from control_plane.money.invoices.fonts import letters_of

    subject = "Invoice font"
    try:
        letters = letters_of(path)
    except (OSError, TTLibError, LookupError, struct.error) as error:
        return [
            warn(
                subject,
                f"no invoice can be printed with {path} ({error})",
                "Set SWITCHBOARD_INVOICE_FONT to a TrueType file that this user may read.",
            )
        ]
    return [ok(subject, f"{path} has {len(letters)} letters")]


def _answers(variable: str, url: str) -> Finding:
    """It does not repeat the address, which may hold a password."""
    import httpx2

    try:
        httpx2.get(url, timeout=_ANSWER_SECONDS)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        return warn(
            variable,
            f"does not answer ({type(error).__name__})",
            "Correct the address, or start the server that it names.",
        )
    return ok(variable, "answers")
