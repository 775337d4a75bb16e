"""A first check of an SDP offer, so that no nonsense reaches a worker. Pure.

Source: RFC 8866. A session starts with ``v=0``, every line is ``<letter>=<value>``, and an offer
that can become a leg has at least one media section.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from contracts.ice_servers import IceServer

CONTENT_TYPE = "application/sdp"
MAX_OFFER_BYTES = 65_536

_LINE = re.compile(r"^[a-z]=\S")
_LETTER_ALONE = re.compile(r"^s=\s?$")


class NotSdp(ValueError):
    """The text is not a session description. The message tells what is missing."""


def check_offer(text: str) -> None:
    """Check that ``text`` has the form of an SDP offer with audio.

    Raises:
        NotSdp: it does not.
    """
    lines = [line.rstrip("\r") for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    if not lines or lines[0] != "v=0":
        raise NotSdp("The offer does not start with 'v=0', so it is not SDP (RFC 8866).")
    for number, line in enumerate(lines, start=1):
        if not (_LINE.match(line) or _LETTER_ALONE.match(line)):
            raise NotSdp(f"Line {number} of the offer is not of the form '<letter>=<value>'.")
    if not any(line.startswith("o=") for line in lines):
        raise NotSdp("The offer has no origin line ('o=').")
    if not any(line.startswith("m=audio ") for line in lines):
        raise NotSdp("The offer has no audio section ('m=audio').")


def ice_server_links(servers: Iterable[IceServer]) -> list[str]:
    """``Link`` header values that name the ICE servers to a client (RFC 9725, section 4.6)."""
    return [
        f'<{url}>; rel="ice-server"' + _credentials(server)
        for server in servers
        for url in server.urls
    ]


def _credentials(server: IceServer) -> str:
    if server.username is None or server.credential is None:
        return ""
    quoted = [
        text.replace("\\", "\\\\").replace('"', '\\"')
        for text in (server.username, server.credential)
    ]
    return f'; username="{quoted[0]}"; credential="{quoted[1]}"; credential-type="password"'
