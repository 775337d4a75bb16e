"""What notifications are about. Pure. Source: API spec, "Notification"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Category:
    is_mailed: bool
    """Whether owners and admins get mails while nobody has said otherwise."""
    is_mailed_once_a_day: bool = False
    """At most one mail in 24 hours (API spec, "Limits")."""


_MAILED = Category(is_mailed=True)
_MAILED_ONCE_A_DAY = Category(is_mailed=True, is_mailed_once_a_day=True)
_ONLY_SHOWN = Category(is_mailed=False)

CATEGORIES: Mapping[str, Category] = {
    "billing.low_balance": _MAILED_ONCE_A_DAY,
    "billing.balance_depleted": _MAILED_ONCE_A_DAY,
    "billing.payment_failed": _MAILED,
    "billing.topup_confirmed": _ONLY_SHOWN,
    "billing.invoice_ready": _MAILED,
    "call.first_call": _ONLY_SHOWN,
    "call.daily_summary": _ONLY_SHOWN,
    "call.monthly_summary": _MAILED,
    "call.volume_spike": _MAILED,
    "agent.published": _ONLY_SHOWN,
    "agent.failed": _MAILED_ONCE_A_DAY,
    "agent.degraded": _MAILED_ONCE_A_DAY,
    "agent.number_assigned": _ONLY_SHOWN,
    "agent.minutes_requested": _MAILED,
    "system.api_key_created": _MAILED,
    "system.api_key_revoked": _ONLY_SHOWN,
    # The person who logged in always gets a mail of their own.
    "system.login_new_device": _ONLY_SHOWN,
    "system.maintenance": _MAILED,
    "team.member_invited": _ONLY_SHOWN,
    "team.member_joined": _ONLY_SHOWN,
    "auth.welcome": _ONLY_SHOWN,
    "number.porting_complete": _MAILED,
}
"""By name, in the order in which lists show them."""


def known_category(name: str) -> str:
    """
    Raises:
        ValueError: there is no such category. The message lists those that there are.
    """
    if name not in CATEGORIES:
        raise ValueError(f"must be one of {', '.join(CATEGORIES)}")
    return name
