"""What a carrier's webhook is answered with: a document, or commands for its REST API. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

TOKEN_PARAMETER = "call_token"
"""Under which an answer carries the one-time token."""


@dataclass(frozen=True)
class ApiCommand:
    """A request that ``CarrierApi.run`` sends. ``path`` begins with a slash."""

    path: str
    body: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Answer:
    """The HTTP answer, and what has to be commanded once it is sent."""

    content_type: str
    body: str = field(repr=False)
    status: int = 200
    commands: tuple[ApiCommand, ...] = ()


class Refusal(StrEnum):
    """How the network tells the caller. Not every carrier knows all: the nearest is used."""

    BUSY = "busy"
    REJECTED = "rejected"


@dataclass(frozen=True)
class StreamOffer:
    """Connect a call to our media websocket.

    Args:
        media_url: a ``wss`` address without a query.
        token: one-time; letters and digits only, at most 128 (Plivo's rule).
        status_url: where the carrier reports on the stream and the call.
        is_answered: the call is up already: one that we dialed.
    """

    call_id: str
    media_url: str
    token: str = field(repr=False)
    status_url: str
    is_answered: bool
    from_number: str | None = None
    to_number: str | None = None


class Answers(Protocol):
    """Texts are put into documents so that no number, address or token can change their shape."""

    def connect_stream(self, offer: StreamOffer) -> Answer: ...

    def refuse(self, call_id: str, refusal: Refusal) -> Answer:
        """Before the call is answered, so that the caller pays nothing."""
        ...

    def play_and_hang_up(self, call_id: str, audio_url: str) -> Answer:
        """Answer, play a recorded sentence, hang up. Where the carrier is commanded (Telnyx), the
        hang-up is asked for after ``PlaybackEnded``.

        Args:
            audio_url: an MP3 or WAV file that the carrier can fetch.
        """
        ...

    def connect_phone(self, call_id: str, to_number: str, from_number: str) -> Answer:
        """Connect the caller to another phone, in place of us. Numbers are E.164."""
        ...

    def hang_up(self, call_id: str) -> Answer: ...

    def acknowledge(self) -> Answer:
        """For a webhook that only reports."""
        ...
