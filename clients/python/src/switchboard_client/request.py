"""A request to the API and its reply, as JSON or with a file. Pure: a transport sends them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from switchboard_client.errors import ApiError, UnexpectedAnswer
from switchboard_client.problems import BY_CODE

IDEMPOTENCY_KEY = "Idempotency-Key"
_REPEATABLE_METHODS = frozenset({"GET", "HEAD", "PUT", "DELETE"})


@dataclass(frozen=True)
class Upload:
    """A form with one file, in its field ``file``, and texts beside it."""

    name: str
    """Of the file. The API reads its format from the ending."""
    content: bytes
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def content_type(self) -> str:
        """Of the form. The boundary follows from the content: under one ``Idempotency-Key``, the
        API takes only requests whose bytes are equal."""
        return f"multipart/form-data; boundary={sha256(self.content).hexdigest()}"


@dataclass(frozen=True)
class Request:
    """``path`` is relative to the server; ``body`` is JSON, ``None`` for none. An ``upload`` takes
    the body's place."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    upload: Upload | None = None
    slowest_answer_seconds: float = 0.0
    """How long the API itself may need. Where that is longer than the client's own limit, the
    client waits so long."""
    gone: Any = None
    """For a ``DELETE``: the JSON with which the API answers it. It stands for a lost answer when
    the next attempt finds nothing to delete."""

    @property
    def is_repeatable(self) -> bool:
        """Whether sending it twice has the same effect as sending it once."""
        return self.method in _REPEATABLE_METHODS or IDEMPOTENCY_KEY in self.headers

    def patiently(self, slowest_answer_seconds: float) -> Request:
        """The same for a route that may answer late, because a language model writes the answer."""
        return replace(self, slowest_answer_seconds=slowest_answer_seconds)

    def once(self, key: str | None = None) -> Request:
        """The same with an ``Idempotency-Key``: ``key`` or a new one. Not every route takes one."""
        return replace(self, headers={**self.headers, IDEMPOTENCY_KEY: key or str(uuid4())})


@dataclass(frozen=True)
class Reply:
    """``headers``: names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300

    def document(self) -> Any:
        """The body's JSON; an empty object for no body.

        Raises:
            ApiError: the API refused.
            UnexpectedAnswer: the body is not JSON.
        """
        if not self.is_success:
            raise self.error()
        if not self.body:
            return {}
        try:
            return json.loads(self.body)
        except ValueError:
            raise UnexpectedAnswer(
                f"The answer ({self.status}) is not JSON. Is this the address of a Switchboard?"
            ) from None

    def error(self) -> ApiError:
        """The error that a reply without success describes."""
        try:
            document = json.loads(self.body)
        except ValueError:
            document = {}
        if not isinstance(document, dict):
            document = {}
        detail = document.get("detail") or document.get("title")
        kind = BY_CODE.get(str(document.get("code")), ApiError)
        return kind(
            self.status,
            str(detail) if detail else self._unexplained(),
            document=document,
            retry_after_seconds=self.retry_after_seconds(datetime.now(UTC)),
        )

    def _unexplained(self) -> str:
        elsewhere = self.headers.get("location", "")
        if not 300 <= self.status < 400 or not elsewhere:
            return f"The server answered {self.status}."
        # What follows the ? may be a signature.
        return (
            f"The server answered {self.status}: this is at {elsewhere.partition('?')[0]}. "
            "Use the address of that server."
        )

    def retry_after_seconds(self, now: datetime) -> float | None:
        """``Retry-After``, which is seconds or a date (RFC 9110)."""
        value = self.headers.get("retry-after")
        if value is None:
            return None
        if value.isdecimal():
            return float(value)
        try:
            until = parsedate_to_datetime(value)
        except ValueError:
            return None
        if until.tzinfo is None:
            until = until.replace(tzinfo=UTC)
        return max(0.0, (until - now).total_seconds())


def at(template: str, *parts: object) -> str:
    """The path ``at("/v1/calls/{}", id)``. Parts are quoted, so each stays one segment."""
    return template.format(*(quote(str(part), safe="") for part in parts))


def query(**given: object) -> dict[str, str]:
    """The query parameters that are not ``None``, as text."""
    return {
        name.rstrip("_"): value.isoformat() if isinstance(value, datetime) else str(value)
        for name, value in given.items()
        if value is not None
    }
