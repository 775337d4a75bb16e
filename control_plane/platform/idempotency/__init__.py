"""Stored answers to requests with an ``Idempotency-Key``."""
