"""The request that a delivery makes: body, redaction and signatures. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from contracts.sealing import CannotOpen, Sealer
from control_plane.notifying.webhooks.envelope import body_of, envelope
from control_plane.notifying.webhooks.redaction import RedactionLevel, redacted
from control_plane.notifying.webhooks.signing import signed_headers


@dataclass(frozen=True)
class DeliveryRequest:
    headers: dict[str, str]
    body: bytes


def delivery_request(
    *,
    event: str,
    event_id: UUID,
    origin: str,
    occurred_at: datetime,
    data: Mapping[str, Any],
    redaction_level: str,
    secrets: Sequence[str],
    now: datetime,
) -> DeliveryRequest:
    """
    Args:
        data: as ``delivered_payload`` completes it, not redacted yet.
        secrets: see ``signed_headers``.
    """
    shown = redacted(data, RedactionLevel(redaction_level))
    body = body_of(envelope(event, shown, origin=origin, occurred_at=occurred_at))
    headers = signed_headers(
        event=event, message_id=f"msg_{event_id.hex}", body=body, secrets=secrets, now=now
    )
    return DeliveryRequest(headers, body)


def current_secrets(
    sealer: Sealer,
    sealed_secret: str,
    sealed_previous_secret: str | None,
    previous_secret_until: datetime | None,
    now: datetime,
) -> list[str]:
    """The secrets that sign at ``now``, the current one first.

    Raises:
        CannotOpen: the installation has lost the key of the current one.
    """
    secrets = [sealer.open(sealed_secret)]
    if sealed_previous_secret and previous_secret_until and now < previous_secret_until:
        # Where its key is lost, rotating is one way to set another secret, which then signs alone.
        with suppress(CannotOpen):
            secrets.append(sealer.open(sealed_previous_secret))
    return secrets
