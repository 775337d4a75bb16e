"""Fetches a web page through the guarded client, within limits of size and time."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urljoin

import httpx2

from control_plane.building.web_pages.decoding import decoded
from outbound.address import AddressRefused, check_address
from outbound.client import ResponseTooLarge, guarded_client, read_limited
from outbound.policy import OutboundPolicy
from outbound.resolver import Resolver, resolve

MAX_BYTES = 2 * 1024 * 1024
DEADLINE_SECONDS = 10.0
"""For the page and all redirects on the way to it."""
MAX_REDIRECTS = 3
_SCHEMES = frozenset({"http", "https"})
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", "text/plain", ""})
_LONGEST_VALIDATOR = 500
_HAS_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)


class PageNotRead(Exception):
    """The page could not be read. The message tells the person who entered the address why."""


class PageUnchanged(Exception):
    """The website says that the page is still the version with the given validators."""


@dataclass(frozen=True)
class Validators:
    """What a website said of the version of a page that it sent (RFC 9110, section 8.8)."""

    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True)
class Page:
    text: str
    is_html: bool
    validators: Validators = Validators()


_UNKNOWN = Validators()


async def fetch_page(
    url: str,
    policy: OutboundPolicy,
    *,
    resolver: Resolver = resolve,
    deadline_seconds: float = DEADLINE_SECONDS,
    known: Validators = _UNKNOWN,
) -> Page:
    """Fetch the page at ``url``. ``example.com`` means ``https://example.com``.

    Each redirect is checked in the same way as the address itself.

    Args:
        known: of the version that was fetched before.

    Raises:
        PageNotRead: the address is not allowed, or the website does not send a page that can be
            read.
        PageUnchanged: it is ``known``.
    """
    address = url.strip()
    if not _HAS_SCHEME.match(address) or re.match(r"^[\w.-]+:\d", address):
        address = f"https://{address}"
    try:
        async with (
            asyncio.timeout(deadline_seconds),
            guarded_client(policy, timeout_seconds=deadline_seconds, resolver=resolver) as client,
        ):
            return await _followed(client, address, policy, resolver, known)
    except TimeoutError as error:
        raise PageNotRead("The website did not answer in time.") from error
    except AddressRefused as error:
        raise PageNotRead(str(error)) from error
    except ResponseTooLarge as error:
        raise PageNotRead(
            f"The page is larger than {MAX_BYTES // (1024 * 1024)} megabytes."
        ) from error
    except httpx2.TimeoutException as error:
        raise PageNotRead("The website did not answer in time.") from error
    except httpx2.ConnectError as error:
        raise PageNotRead("The website cannot be reached.") from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise PageNotRead("The website's answer could not be read.") from error


async def _followed(
    client: httpx2.AsyncClient,
    address: str,
    policy: OutboundPolicy,
    resolver: Resolver,
    known: Validators,
) -> Page:
    conditions = _conditions(known)
    headers = {"Accept": "text/html,application/xhtml+xml,text/plain;q=0.5", **conditions}
    for _ in range(MAX_REDIRECTS + 1):
        await check_address(address, policy, schemes=_SCHEMES, resolver=resolver)
        async with client.stream("GET", address, headers=headers) as response:
            if response.status_code == HTTPStatus.NOT_MODIFIED and conditions:
                raise PageUnchanged
            if response.is_redirect:
                address = _location(address, response)
                continue
            if response.status_code >= 400:
                raise PageNotRead(f"The website answered with status {response.status_code}.")
            media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if media_type not in _HTML_TYPES:
                raise PageNotRead(f"The address is not a web page but {media_type[:80]}.")
            body = await read_limited(response, MAX_BYTES)
            text = await asyncio.to_thread(decoded, body, response.charset_encoding)
            return Page(text, media_type != "text/plain", _validators(response))
    raise PageNotRead(f"The website redirects more than {MAX_REDIRECTS} times.")


def _conditions(known: Validators) -> dict[str, str]:
    named = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
    return {name: value for name, value in named.items() if value is not None}


def _validators(response: httpx2.Response) -> Validators:
    def kept(name: str) -> str | None:
        value = response.headers.get(name, "")
        is_sound = value.isascii() and value.isprintable() and 0 < len(value) <= _LONGEST_VALIDATOR
        return value if is_sound else None

    return Validators(kept("etag"), kept("last-modified"))


def _location(address: str, response: httpx2.Response) -> str:
    target = response.headers.get("location", "")
    if not target:
        raise PageNotRead("The website redirects without naming an address.")
    try:
        return urljoin(address, target)
    except ValueError as error:
        raise PageNotRead("The website redirects to an address that cannot be read.") from error
