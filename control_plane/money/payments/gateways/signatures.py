"""Signatures of gateways' events, over the raw body. Pure.

Sources: Stripe, "Verify webhook signatures manually"; Razorpay, "Validate webhooks".
"""

from __future__ import annotations

import hashlib
import hmac

TOLERANCE_SECONDS = 300
"""How old a signature of Stripe may be, so that a recorded event is of no use later."""


def is_signed_by_stripe(body: bytes, header: str, secret: str, now_seconds: float) -> bool:
    """
    Args:
        header: ``Stripe-Signature``: ``t=1492774577,v1=5257a869e7…``. While a secret is replaced
            there are several ``v1``.
    """
    pairs = [part.strip().partition("=")[::2] for part in header.split(",")]
    times = [value for name, value in pairs if name == "t"]
    if len(times) != 1 or not (times[0].isascii() and times[0].isdigit() and len(times[0]) < 16):
        return False
    if abs(now_seconds - int(times[0])) > TOLERANCE_SECONDS:
        return False
    expected = _hmac(secret, times[0].encode() + b"." + body)
    return any(_is_same(value, expected) for name, value in pairs if name == "v1")


def is_signed_by_razorpay(body: bytes, header: str, secret: str) -> bool:
    """
    Args:
        header: ``X-Razorpay-Signature``.
    """
    return _is_same(header.strip(), _hmac(secret, body))


def _hmac(secret: str, message: bytes) -> str:
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()


def _is_same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode())
