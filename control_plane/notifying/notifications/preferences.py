"""Over which channels somebody wants to hear of a category. Pure.

Three layers decide, each channel by itself: what comes with the category, what the tenant has set,
and what a member has set for themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from control_plane.notifying.notifications.categories import CATEGORIES

Channel = Literal["in_app", "email", "sms", "webhook"]
CHANNELS: tuple[Channel, ...] = ("in_app", "email", "sms", "webhook")


@dataclass(frozen=True)
class Choice:
    """What one layer says of one category. ``None``: as the layer below says."""

    in_app: bool | None = None
    email: bool | None = None
    sms: bool | None = None
    webhook: bool | None = None

    def over(self, below: Choice) -> Choice:
        """This layer on top of ``below``."""
        said = {
            channel: value for channel in CHANNELS if (value := getattr(self, channel)) is not None
        }
        return replace(below, **said)

    def wants(self, channel: Channel) -> bool:
        return bool(getattr(self, channel))


SILENT = Choice()


def default_choice(category: str) -> Choice:
    """Before anybody has chosen anything."""
    return Choice(in_app=True, email=CATEGORIES[category].is_mailed, sms=False, webhook=False)


def choice_of_tenant(category: str, tenant: Choice) -> Choice:
    return tenant.over(default_choice(category))


def choice_of_member(category: str, tenant: Choice, member: Choice, *, administers: bool) -> Choice:
    """What holds for one member. Members who do not administer the tenant get mails only if they
    asked for them themselves: what is mailed by default concerns those who can act on it."""
    inherited = choice_of_tenant(category, tenant)
    if not administers:
        inherited = replace(inherited, email=False, sms=False)
    return member.over(inherited)
