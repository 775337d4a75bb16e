"""The ICE servers of one call, with the credentials of its TURN servers. Pure.

Time-limited credentials are those of draft-uberti-behave-turn-rest-00, which coturn checks with
``use-auth-secret``: the username is ``{expiry}:{call}``, and the password is its HMAC-SHA1.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from contracts.call_plan import LONGEST_CALL_SECONDS
from contracts.ice_settings import IceSettings, is_relay

TURN_CREDENTIALS_SECONDS = LONGEST_CALL_SECONDS + 600
"""A participant may reconnect until the end of the longest call."""


class IceServer(BaseModel):
    """In the form of ``RTCIceServer``, which ``new RTCPeerConnection`` takes."""

    model_config = ConfigDict(frozen=True)

    urls: tuple[str, ...]
    username: str | None = None
    credential: str | None = None


def ice_servers(settings: IceSettings, call_id: UUID, now_seconds: float) -> tuple[IceServer, ...]:
    """What one side of the call ``call_id`` connects through.

    Args:
        now_seconds: seconds since 1970.
    """
    servers = []
    if plain := tuple(url for url in settings.ice_servers if not is_relay(url)):
        servers.append(IceServer(urls=plain))
    if relays := tuple(url for url in settings.ice_servers if is_relay(url)):
        username, credential = settings.turn_username, settings.turn_credential
        if settings.turn_secret:
            username = f"{int(now_seconds) + TURN_CREDENTIALS_SECONDS}:{call_id}"
            credential = password_of(username, settings.turn_secret)
        servers.append(IceServer(urls=relays, username=username, credential=credential))
    return tuple(servers)


def password_of(username: str, secret: str) -> str:
    """The password that a TURN server with ``secret`` expects of ``username``."""
    digest = hmac.new(secret.encode(), username.encode(), hashlib.sha1).digest()
    return base64.b64encode(digest).decode()
