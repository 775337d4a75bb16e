"""G.711 µ-law. Pure. Source: ITU-T Recommendation G.711."""

from __future__ import annotations

_BIAS = 33
_CLIP = 8158
"""Of 14 bits."""


def to_mulaw(sample: int) -> int:
    """One byte for a signed sample of 16 bits."""
    magnitude = min(abs(sample) >> 2, _CLIP) + _BIAS
    segment = magnitude.bit_length() - 6
    code = segment << 4 | (magnitude >> segment + 1) & 0x0F
    return ~(code | (0x80 if sample < 0 else 0)) & 0xFF


def from_mulaw(code: int) -> int:
    """A signed sample of 16 bits."""
    code = ~code & 0xFF
    segment, step = code >> 4 & 0x07, code & 0x0F
    magnitude = (((step << 1) + _BIAS << segment) - _BIAS) << 2
    return -magnitude if code & 0x80 else magnitude
