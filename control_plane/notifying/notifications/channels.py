"""Which channels an installation has. Pure."""

from __future__ import annotations

from collections.abc import Collection

from control_plane.notifying.notifications.preferences import Channel
from control_plane.platform.settings import ControlPlaneSettings

_MISSING: dict[Channel, str] = {
    "email": "No mail server is set, so no notification is mailed.",
    "sms": "No SMS service is set, so no notification is sent by SMS.",
}


def enabled_channels(settings: ControlPlaneSettings) -> frozenset[Channel]:
    enabled: set[Channel] = {"in_app", "webhook"}
    if settings.smtp is not None:
        enabled.add("email")
    if settings.sms_url is not None:
        enabled.add("sms")
    return frozenset(enabled)


def warnings(enabled: Collection[Channel]) -> list[str]:
    """What a reader should know about the channels that are missing."""
    return [why for channel, why in _MISSING.items() if channel not in enabled]
