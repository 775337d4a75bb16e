"""The headers of a delivery. Pure.

Sources: API spec, "Headers and signature"; Standard Webhooks 1.0, "Webhook Headers" and "Signature
scheme" (standardwebhooks.com).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Sequence
from datetime import datetime


def signed_headers(
    *, event: str, message_id: str, body: bytes, secrets: Sequence[str], now: datetime
) -> dict[str, str]:
    """
    Args:
        message_id: the same for all tries of a delivery.
        secrets: the current one first, and the previous one while both count. The key is the UTF-8
            bytes of a secret. ``X-Svc-Signature`` has room for the current one only.
        now: when this try is made.
    """
    milliseconds = int(now.timestamp() * 1000)
    seconds = milliseconds // 1000
    standard = f"{message_id}.{seconds}.".encode() + body
    return {
        "Content-Type": "application/json",
        "User-Agent": "Switchboard-Webhooks/1",
        "X-Svc-Event": event,
        "X-Svc-Timestamp": str(milliseconds),
        "X-Svc-Signature": _hmac(secrets[0], f"{milliseconds}.".encode() + body).hex(),
        "webhook-id": message_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": " ".join(
            "v1," + base64.b64encode(_hmac(secret, standard)).decode() for secret in secrets
        ),
    }


def _hmac(secret: str, message: bytes) -> bytes:
    return hmac.new(secret.encode(), message, hashlib.sha256).digest()
