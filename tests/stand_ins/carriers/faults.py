"""What a stand-in carrier does wrong, when it is told to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Faults:
    rest_status: int | None = None
    """Every REST request is answered with it."""
    rest_delay_seconds: float = 0.0
    rest_hangs: bool = False

    webhooks_twice: bool = False
    """Each is sent a second time, as the carrier would: signed again."""
    webhooks_replayed: bool = False
    """Each is sent a second time by somebody who has overheard it: the same bytes and headers."""
    wrong_signature: bool = False
    no_signature: bool = False
    old_timestamp: bool = False
    late_statuses: bool = False
    """That it rings and was answered is told after the question for an answer."""
    lost_statuses: bool = False

    second_socket: bool = False
    """A second media websocket with the first one's token."""
    foreign_token: bool = False
    unsigned_socket: bool = False
    reorders_media: bool = False
    """Every fourth frame overtakes the one before it (Telnyx)."""
    closes_socket_after_ms: int | None = None
    """Without a word."""
    starts_twice: bool = False
    sends_garbage: bool = False
    """Unknown events, broken JSON and empty payloads between the frames."""
