"""Telling a language model when its call is. Pure."""

from __future__ import annotations

from datetime import datetime


def with_moment(prompt: str, prompt_mode: str, now: datetime) -> str:
    """The prompt as a language model gets it: unless the tenant writes all of it (``raw``), with
    what time it is."""
    return prompt if prompt_mode == "raw" else f"{prompt}\n\n{moment_section(now)}".strip()


def moment_section(now: datetime) -> str:
    """The last section of a prompt, so that what comes before is the same in every call and can be
    cached by the provider.

    Args:
        now: with its time zone.
    """
    return f"# Now\nThe call began on {now:%A}, {now.day} {now:%B %Y} at {now:%H:%M}{_zone(now)}."


def _zone(now: datetime) -> str:
    """``, UTC`` or ``, CET (UTC+01:00)``."""
    offset, name = now.strftime("%z"), now.tzname() or ""
    from_utc = f"UTC{offset[:3]}:{offset[3:5]}"
    if not offset or offset == "+0000":
        return ", UTC"
    return f", {name} ({from_utc})" if name.isalpha() else f", {from_utc}"
