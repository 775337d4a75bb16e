"""What aiortc leaves out of an answer: how we want to receive Opus."""

from __future__ import annotations

import re

_OPUS = re.compile(r"a=rtpmap:(?P<payload_type>\d+) opus/48000(/2)?\s*", re.IGNORECASE)
_PARAMETERS = "minptime=10;useinbandfec=1"
"""Packets of 10 ms and more, and copies of lost frames (RFC 7587, section 6.1). Browsers put copies
into their packets only if they are asked to."""


def with_opus_parameters(answer: str) -> str:
    """``answer`` with the format parameters of Opus in each section that has none."""
    lines = answer.splitlines()
    asked = {line.split(" ", 1)[0] for line in lines if line.startswith("a=fmtp:")}
    completed: list[str] = []
    for line in lines:
        completed.append(line)
        if (opus := _OPUS.fullmatch(line)) is None:
            continue
        attribute = f"a=fmtp:{opus['payload_type']}"
        if attribute not in asked:
            completed.append(f"{attribute} {_PARAMETERS}")
    return "\r\n".join(completed) + "\r\n"
