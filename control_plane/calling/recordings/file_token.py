"""The token in the address of a recording: a JWT (HS256) for one file of one recording."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import get_args
from uuid import UUID

import jwt

from contracts.recording import RecordingFile, recording_folder

AUDIENCE = "recording"
_ALGORITHM = "HS256"
_CLAIMS = ["aud", "sub", "tenant_id", "call_id", "file", "exp"]


class InvalidFileToken(ValueError):
    """The token is not valid, not for a recording, or expired. The message tells which."""


@dataclass(frozen=True)
class FileAccess:
    tenant_id: UUID
    call_id: UUID
    recording_id: UUID
    file: RecordingFile

    @property
    def path(self) -> str:
        """In the object store."""
        return recording_folder(self.tenant_id, self.call_id, self.recording_id) + self.file


def encode_file_access(access: FileAccess, secret: str, expires_at: datetime) -> str:
    claims = {
        "aud": AUDIENCE,
        "sub": str(access.recording_id),
        "tenant_id": str(access.tenant_id),
        "call_id": str(access.call_id),
        "file": access.file,
        "exp": int(expires_at.timestamp()),
    }
    return jwt.encode(claims, secret, algorithm=_ALGORITHM)


def decode_file_access(token: str, secret: str) -> FileAccess:
    """The file that the token gives access to.

    Raises:
        InvalidFileToken: the signature, audience, expiry or claims are not valid.
    """
    try:
        claims = jwt.decode(
            token,
            secret,
            algorithms=[_ALGORITHM],
            audience=AUDIENCE,
            options={"require": _CLAIMS},
        )
        if claims["file"] not in get_args(RecordingFile):
            raise InvalidFileToken("This is not the address of a recording's file.")
        return FileAccess(
            tenant_id=UUID(claims["tenant_id"]),
            call_id=UUID(claims["call_id"]),
            recording_id=UUID(claims["sub"]),
            file=claims["file"],
        )
    except jwt.ExpiredSignatureError as error:
        raise InvalidFileToken(
            "This address has expired. Ask for the recording again to get a new one."
        ) from error
    except (jwt.InvalidTokenError, ValueError, TypeError, AttributeError) as error:
        raise InvalidFileToken("This is not the address of a recording's file.") from error
