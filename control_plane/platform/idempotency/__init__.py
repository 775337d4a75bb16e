"""Requests that may be sent again: ``Idempotency-Key``."""
