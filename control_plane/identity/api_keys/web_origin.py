"""Origins of web pages, in the form in which browsers send them. Pure."""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from urllib.parse import SplitResult, urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_HOST_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_ENDS_IN_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
_LONGEST_HOST_NAME = 253


def web_origin(text: str) -> str:
    """``scheme://host[:port]`` in lower case and without a default port (RFC 6454, section 6).

    Raises:
        ValueError: what is wrong with ``text`` and what would be right.
    """
    text = text.strip()
    if not text.isascii():
        raise ValueError("write the host name in its ASCII form (xn--…), as browsers send it")
    if "*" in text:
        raise ValueError("wildcards are not supported: list each origin, or send null to allow any")
    if not text.isprintable() or " " in text or "\\" in text:
        raise ValueError(_wanted(text))
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise ValueError(_wanted(text)) from None
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or _says_more(text, parts):
        raise ValueError(_wanted(text))
    origin = f"{parts.scheme}://{_host(parts.hostname)}"
    return origin if port in (None, _DEFAULT_PORTS[parts.scheme]) else f"{origin}:{port}"


def _says_more(text: str, parts: SplitResult) -> bool:
    """Whether there is anything besides scheme, host and port. A single slash at the end is
    allowed."""
    return (
        parts.path not in ("", "/")
        or any(mark in text for mark in "?#@%")
        or parts.port == 0
        or parts.netloc.endswith(":")
    )


def _host(host: str) -> str:
    try:
        if ":" in host:
            return f"[{IPv6Address(host).compressed}]"
        if _ENDS_IN_NUMBER.fullmatch(host):
            return str(IPv4Address(host))
    except AddressValueError:
        raise ValueError(f"'{host}' is not an IP address") from None
    if len(host) > _LONGEST_HOST_NAME or not _HOST_NAME.fullmatch(host):
        raise ValueError(f"'{host[:80]}' is not a host name")
    return host


def _wanted(text: str) -> str:
    return f"'{text[:80]}' is not a web origin; write it like https://shop.example, without a path"
