"""The token with which one participant may join one call: a JWT (HS256)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import jwt

AUDIENCE = "rtc"
_ALGORITHM = "HS256"
_CLAIMS = ["aud", "sub", "call_id", "tenant_id", "exp"]


class InvalidAccessToken(ValueError):
    """The token is not valid, not for a call, or expired. The message tells which."""


@dataclass(frozen=True)
class RoomAccess:
    participant_id: UUID
    call_id: UUID
    tenant_id: UUID


def encode_access(access: RoomAccess, secret: str, now: datetime, ttl: timedelta) -> str:
    """A token for ``access``, valid from ``now`` (with a time zone) for ``ttl``."""
    claims = {
        "aud": AUDIENCE,
        "sub": str(access.participant_id),
        "call_id": str(access.call_id),
        "tenant_id": str(access.tenant_id),
        "iat": int(now.timestamp()),
        "exp": int((now + ttl).timestamp()),
    }
    return jwt.encode(claims, secret, algorithm=_ALGORITHM)


def decode_access(token: str, secret: str) -> RoomAccess:
    """Which participant may join which call.

    Raises:
        InvalidAccessToken: the signature, audience, expiry or claims are not valid.
    """
    try:
        claims = jwt.decode(
            token,
            secret,
            algorithms=[_ALGORITHM],
            audience=AUDIENCE,
            options={"require": _CLAIMS},
        )
        return RoomAccess(
            participant_id=UUID(claims["sub"]),
            call_id=UUID(claims["call_id"]),
            tenant_id=UUID(claims["tenant_id"]),
        )
    except jwt.ExpiredSignatureError as error:
        raise InvalidAccessToken("The access token has expired. Create a new call.") from error
    except jwt.InvalidAudienceError as error:
        raise InvalidAccessToken("This is not an access token of a call.") from error
    except (jwt.InvalidTokenError, ValueError, TypeError, AttributeError) as error:
        raise InvalidAccessToken("The access token is not valid.") from error
