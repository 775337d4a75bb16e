"""Whether the server at the other end is new enough."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from redis import Redis
from redis.exceptions import RedisError

NEEDED = (6, 2)
"""Of Redis: XAUTOCLAIM, XPENDING with IDLE, XTRIM with MINID and ZRANGE with BYSCORE. Every Valkey
has them, and says which Redis it is compatible with."""
ANSWER_SECONDS = 2.0


class ServerTooOld(RuntimeError):
    """The message says which version is there and which one is needed."""


def check_version(info: Mapping[str, Any]) -> str:
    """The version, out of the server's answer to INFO. Pure.

    Raises:
        ServerTooOld: it lacks commands that we send.
    """
    shown = str(info.get("valkey_version") or info.get("redis_version") or "of unknown version")
    name = "Valkey" if "valkey_version" in info else "Redis"
    numbers = [int(number) for number in re.findall(r"\d+", str(info.get("redis_version", "")))[:2]]
    if numbers and tuple(numbers) < NEEDED:
        needed = ".".join(map(str, NEEDED))
        raise ServerTooOld(
            f"{name} {shown} is too old; Redis {needed} or newer, or Valkey, is needed"
        )
    return f"{name} {shown}"


def server_version(url: str) -> str | None:
    """The version of the server at ``url``; ``None`` if it does not answer now.

    Raises:
        ServerTooOld: as ``check_version``.
        ValueError: ``url`` is none.
    """
    # Version 2 of the protocol, because the oldest servers know no other.
    with Redis.from_url(
        url, socket_connect_timeout=ANSWER_SECONDS, socket_timeout=ANSWER_SECONDS, protocol=2
    ) as redis:
        try:
            info = redis.info("server")
        except (RedisError, OSError):
            return None
    return check_version(info)
