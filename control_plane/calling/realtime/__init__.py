"""Signalling for browsers: one HTTP offer and answer for each leg, as in WHIP (RFC 9725)."""
