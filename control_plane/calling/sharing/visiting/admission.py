"""Whether a visitor can call now. Pure."""

from __future__ import annotations

from collections.abc import Container

from control_plane.calling.sharing.errors import (
    ShareLinkBusy,
    ShareLinkOff,
    ShareLinkPoolEmpty,
    ShareOriginNotAllowed,
)
from control_plane.calling.sharing.pools import Pool
from control_plane.calling.sharing.visiting.share import Share


def check_open(share: Share) -> None:
    """
    Raises:
        ShareLinkOff
    """
    if not share.is_open:
        if share.kind == "tester":
            raise ShareLinkOff("Your invitation is over; ask for a new one")
        raise ShareLinkOff("Its owner has switched it off; ask them whether it will be back")


def granted_seconds(share: Share, pool: Pool) -> int:
    """How long a call that begins now may be.

    Raises:
        ShareLinkOff, ShareLinkPoolEmpty, ShareLinkBusy: in this order.
    """
    check_open(share)
    if pool.is_used_up:
        raise ShareLinkPoolEmpty("All minutes are used; you can ask for more")
    _check_not_busy(share, pool)
    seconds = pool.longest_call_seconds(share.max_call_seconds)
    if seconds == 0:
        raise ShareLinkPoolEmpty(
            "The calls that run now hold the minutes that are left; try again when one is over"
        )
    return seconds


def check_may_pay(share: Share, pool: Pool) -> None:
    """Whether a tester can begin a call of their own account, now that the free minutes are used.

    Raises:
        ShareLinkOff, ShareLinkBusy: in this order.
    """
    check_open(share)
    _check_not_busy(share, pool)


def _check_not_busy(share: Share, pool: Pool) -> None:
    if pool.use.live_calls >= share.max_concurrent:
        raise ShareLinkBusy(share.max_concurrent, pool.use.live_calls)


def check_origin(share: Share, origin: str | None, own_origins: Container[str]) -> None:
    """Check that the page that asks may do so.

    Args:
        origin: of the page, as its browser says. Programs that are no browsers need not say it, nor
            do browsers when a page reads from its own server.
        own_origins: of the installation's own pages.

    Raises:
        ShareOriginNotAllowed
    """
    if origin is None or origin in share.allowed_origins or origin in own_origins:
        return
    raise ShareOriginNotAllowed(
        f"This link does not permit the origin '{origin[:200]}'; its owner can add it to "
        "allowed_origins"
    )
