"""Phone numbers as carriers write them: some leave out the plus sign. Pure."""

from __future__ import annotations

from control_plane.calling.numbers.phone_number import e164


def from_carrier(text: str) -> str | None:
    """E.164; ``None`` for what is no phone number, such as ``anonymous`` or an empty text."""
    text = text.strip()
    try:
        return e164(text if text.startswith("+") else f"+{text.removeprefix('00')}")
    except ValueError:
        return None
