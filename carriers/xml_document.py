"""The XML that Twilio and Plivo are answered with. Pure."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

from carriers.answers import Answer

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 allows in no form."""


def element(name: str, attributes: dict[str, str] | None = None, content: str = "") -> str:
    """``content`` is XML already: texts go through ``xml_text``."""
    pairs = "".join(
        f" {key}={quoteattr(_FORBIDDEN.sub('', value))}"
        for key, value in (attributes or {}).items()
    )
    return f"<{name}{pairs}>{content}</{name}>" if content else f"<{name}{pairs}/>"


def xml_text(text: str) -> str:
    return escape(_FORBIDDEN.sub("", text))


def xml_answer(*elements: str) -> Answer:
    body = '<?xml version="1.0" encoding="UTF-8"?>' + element("Response", None, "".join(elements))
    return Answer("text/xml; charset=utf-8", body)
