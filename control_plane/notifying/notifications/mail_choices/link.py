"""The link in a notification's mail, with which its reader chooses without logging in. Pure.

Its token names the member and the category, opaquely, and holds for ``VALID_FOR``. It allows
nothing but to choose whether that member gets mails.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from control_plane.notifying.notifications.categories import CATEGORIES

PATH = "/mail-choices"
VALID_FOR = timedelta(days=60)
"""Mail programs offer to unsubscribe from old mails, too."""
_LONGEST_TOKEN = 400
_IDS_BYTES, _TIME_BYTES, _PROOF_BYTES = 32, 8, 16


@dataclass(frozen=True)
class MailReader:
    """Who got a mail, and about what."""

    tenant_id: UUID
    user_id: UUID
    category: str


class LinkIsBroken(ValueError):
    """It is not the whole link, or another installation sent it."""


class LinkIsOld(ValueError):
    """It was mailed more than ``VALID_FOR`` ago."""


def link_of(public_url: str, reader: MailReader, secret_key: str, now: datetime) -> str:
    """Not named ``token``: those links let into an account, and ``up`` shows them."""
    return f"{public_url.rstrip('/')}{PATH}?reader={token_of(reader, secret_key, now)}"


def token_of(reader: MailReader, secret_key: str, now: datetime) -> str:
    ends_at = int((now + VALID_FOR).timestamp()).to_bytes(_TIME_BYTES)
    named = reader.tenant_id.bytes + reader.user_id.bytes + ends_at + reader.category.encode()
    return urlsafe_b64encode(_proof(named, secret_key) + named).rstrip(b"=").decode()


def reader_of(token: str, secret_key: str, now: datetime) -> MailReader:
    """Who may choose with the token.

    Raises:
        LinkIsBroken, LinkIsOld
    """
    if not token.isascii() or len(token) > _LONGEST_TOKEN:
        raise LinkIsBroken
    try:
        held = urlsafe_b64decode(token + "=" * (-len(token) % 4))
    except ValueError as error:
        raise LinkIsBroken from error
    proof, named = held[:_PROOF_BYTES], held[_PROOF_BYTES:]
    if not hmac.compare_digest(proof, _proof(named, secret_key)):
        raise LinkIsBroken
    ids, rest = named[:_IDS_BYTES], named[_IDS_BYTES:]
    category = rest[_TIME_BYTES:].decode()
    if category not in CATEGORIES:
        raise LinkIsBroken
    if now >= datetime.fromtimestamp(int.from_bytes(rest[:_TIME_BYTES]), UTC):
        raise LinkIsOld
    return MailReader(UUID(bytes=ids[:16]), UUID(bytes=ids[16:]), category)


def _proof(named: bytes, secret_key: str) -> bytes:
    message = b"mail choices " + named
    return hmac.new(secret_key.encode(), message, hashlib.sha256).digest()[:_PROOF_BYTES]
