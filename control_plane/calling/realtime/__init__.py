"""Signalling for browsers: one HTTP offer and answer per leg, as in WHIP (RFC 9725)."""
