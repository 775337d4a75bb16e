"""Answers as they are stored, and digests of the requests they belong to. Pure."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from starlette.responses import Response

KEY_HEADER = "Idempotency-Key"
REPLAYED_HEADER = "Idempotency-Replayed"
KEY_LIFETIME = timedelta(hours=24)
"""After this time a key can be used for another request."""
_OF_THE_TRANSFER = frozenset({"content-length"})


@dataclass(frozen=True)
class Answer:
    status: int
    headers: tuple[tuple[str, str], ...]
    body: str

    @classmethod
    def of(cls, response: Response) -> Answer:
        """The answer that ``response`` gives. Its body must be complete and in UTF-8."""
        headers = ((name.lower(), value) for name, value in response.headers.items())
        return cls(
            response.status_code,
            tuple((name, value) for name, value in headers if name not in _OF_THE_TRANSFER),
            bytes(response.body).decode(),
        )

    @classmethod
    def read(cls, text: str) -> Answer:
        status, headers, body = json.loads(text)
        return cls(status, tuple((name, value) for name, value in headers), body)

    @property
    def text(self) -> str:
        return json.dumps([self.status, self.headers, self.body])

    def replayed(self) -> Response:
        """The same response, marked as a replay."""
        response = Response(self.body, self.status)
        # The body's own type is among them, and a header may be there several times.
        response.raw_headers = [
            (name.encode("latin-1"), value.encode("latin-1")) for name, value in self.headers
        ]
        response.headers["content-length"] = str(len(response.body))
        response.headers[REPLAYED_HEADER] = "true"
        return response


def key_digest(
    tenant_id: UUID | None, actor: tuple[str, UUID | None], method: str, route: str, key: str
) -> bytes:
    """Identifies a key within its scope. The scope includes the caller, so that nobody gets another
    caller's answer, which may hold tokens, by guessing the key.

    Args:
        actor: kind and id.
        route: the path as declared, for example ``/v1/calls/{call_id}/participants``.
    """
    return _digest(str(tenant_id), actor[0], str(actor[1]), method, route, key)


def request_digest(path: str, query: str, body: bytes, document: Any = None) -> bytes:
    """
    Args:
        document: the body as parsed JSON, if it is JSON. White space and the order of its fields do
            not count.
    """
    said = body.decode("latin-1") if document is None else json.dumps(document, sort_keys=True)
    return _digest(path, query, said)


def _digest(*parts: str) -> bytes:
    """The hash of the parts as a JSON array, so that each part stays separate."""
    return hashlib.sha256(json.dumps(parts).encode()).digest()
