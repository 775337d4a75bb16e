"""How a payment gateway's stand-in answers a charge, and when it reports it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal

ChargeKind = Literal[
    "succeeds",
    "declines",
    "needs_authentication",
    "expired_card",
    "fails_before_charging",
    "fails_after_charging",
    "hangs_before_charging",
    "hangs_after_charging",
]
"""``fails`` is a 500, ``hangs`` no answer at all."""
Reporting = Literal["after", "before", "twice", "never"]
"""When the event comes: after the answer or before it."""
Deliver = Callable[[bytes, dict[str, str]], Awaitable[int]]
"""Sends a body with headers to whom the events are for, and returns the status."""


@dataclass(frozen=True)
class ChargeOutcome:
    kind: ChargeKind = "succeeds"
    delay_seconds: float = 0.0
    reporting: Reporting = "after"

    @property
    def charges(self) -> bool:
        return self.kind in ("succeeds", "fails_after_charging", "hangs_after_charging")


@dataclass
class Outcomes:
    """Given to charges one after the other, the last one for ever."""

    planned: list[ChargeOutcome] = field(default_factory=lambda: [ChargeOutcome()])

    def next(self) -> ChargeOutcome:
        return self.planned.pop(0) if len(self.planned) > 1 else self.planned[0]


@dataclass
class EventPost:
    """Signed events, sent or kept."""

    sign: Callable[[bytes, str], dict[str, str]]
    """From the body and the event's id to the headers."""
    deliver: Deliver | None = None
    pause_seconds: float = 0.05
    """Between two tries of one event."""
    sent: list[tuple[str, bytes]] = field(default_factory=list)
    """Every event that there was, with its id, delivered or not."""

    async def report(self, event_id: str, event: dict[str, Any], how: Reporting) -> None:
        body = json.dumps(event).encode()
        self.sent.append((event_id, body))
        for _ in range({"never": 0, "twice": 2}.get(how, 1)):
            await self.send(event_id, body)

    async def send(self, event_id: str, body: bytes) -> None:
        """The gateway tries again until it is told that the event has arrived."""
        if self.deliver is None:
            return
        for _ in range(5):
            if await self.deliver(body, self.sign(body, event_id)) == 200:
                return
            await asyncio.sleep(self.pause_seconds)

    async def resend_all(self, *, backwards: bool = False) -> None:
        for event_id, body in reversed(self.sent) if backwards else list(self.sent):
            await self.send(event_id, body)
