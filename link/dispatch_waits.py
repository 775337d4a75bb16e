"""How long calls waited for a media worker, counted in Redis for all processes together.

There are two histograms. A call counts as **within its tenant's share** if no more of the tenant's
calls waited before it than the tenant sends in one turn; otherwise it is **beyond** it. Dispatch is
fair as long as calls within their share wait shortly, however long the others wait.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from redis.asyncio import Redis

from contracts import redis_names

Share = Literal["within_share", "beyond_share"]
SHARES: tuple[Share, ...] = ("within_share", "beyond_share")
BOUNDS_MS = (50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000)

LUA_NOTE_WAIT = f"""
-- Count how long a call waited that a worker has just claimed; once.
local function note_wait(offer)
  local share, since_ms = unpack(redis.call('HMGET', offer, 'share', 'since_ms'))
  if not share then return end
  redis.call('HDEL', offer, 'share', 'since_ms')
  local time = redis.call('TIME')
  local waited_ms = math.max(0, time[1] * 1000 + math.floor(time[2] / 1000) - since_ms)
  local bucket = 'inf'
  for _, bound_ms in ipairs({{{", ".join(map(str, BOUNDS_MS))}}}) do
    if waited_ms <= bound_ms then bucket = bound_ms break end
  end
  redis.call('HINCRBY', '{redis_names.DISPATCH_WAITS}', share .. ':' .. bucket, 1)
  redis.call('HINCRBY', '{redis_names.DISPATCH_WAITS}', share .. ':sum_ms', waited_ms)
end
"""


@dataclass(frozen=True)
class Waits:
    """A histogram; ``counts`` has one more element than ``BOUNDS_MS``, for all longer waits."""

    counts: tuple[int, ...]
    sum_ms: int

    @property
    def calls(self) -> int:
        return sum(self.counts)

    def quantile_ms(self, share: float) -> int | None:
        """An upper bound for the waits of ``share`` of the calls; ``None`` if it is unknown."""
        seen = 0
        for bound_ms, count in zip(BOUNDS_MS, self.counts, strict=False):
            seen += count
            if seen >= share * self.calls:
                return bound_ms
        return None


def waits_from(counters: Mapping[str, str]) -> dict[Share, Waits]:
    """The histograms that the fields of ``redis_names.DISPATCH_WAITS`` hold. Pure."""
    return {
        share: Waits(
            tuple(int(counters.get(f"{share}:{bound}", 0)) for bound in (*BOUNDS_MS, "inf")),
            int(counters.get(f"{share}:sum_ms", 0)),
        )
        for share in SHARES
    }


async def dispatch_waits(redis: Redis) -> dict[Share, Waits]:
    """The waits of all calls that workers have claimed.

    Raises:
        RedisError, OSError: Redis is away.
    """
    counters = await redis.hgetall(redis_names.DISPATCH_WAITS)
    return waits_from({str(field): str(value) for field, value in counters.items()})
