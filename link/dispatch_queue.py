"""Calls that wait for a media worker: one queue for each tenant, and fair turns between them.

Workers claim calls from the dispatch stream, one at a time. The stream is first come, first served,
so a call is put on it only when a worker is about to read it, or when no other call waits. Which
one that is, deficit round robin decides (Shreedhar and Varghese, 1995): tenants take turns, and in
its turn a tenant sends as many calls as its weight says. A tenant whose first call arrives has its
turn before those that have been waiting with many, as in FQ-CoDel (RFC 8290, section 4.2); after
that it waits for a whole round. So a tenant with few calls gets the next free slot, however many
calls another one has.

Everything is in Redis and changes in scripts, which run one after the other. Workers of release 0.1
only read the stream; for them the control plane puts calls on it.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from redis.asyncio import Redis

from contracts import redis_names
from contracts.call_offer import OFFER_TTL, CallOffer

OFFER_MEMORY_SECONDS = 300
"""How long it is known where on the stream a call was offered. Then it has long been claimed or has
expired."""
COUNT_WINDOW_SECONDS = 10
_COUNTED_WINDOWS = int(OFFER_TTL.total_seconds()) // COUNT_WINDOW_SECONDS

_LUA = f"""
local STREAM = '{redis_names.DISPATCH_STREAM}'
local NEWCOMERS, TURNS = '{redis_names.DISPATCH_NEWCOMERS}', '{redis_names.DISPATCH_TURNS}'
local DEFICITS, WEIGHTS = '{redis_names.DISPATCH_DEFICITS}', '{redis_names.DISPATCH_WEIGHTS}'
local DOCUMENT, HEADER = '{redis_names.FIELD}', '{redis_names.HEADER_FIELD}'
local function queue_of(tenant) return '{redis_names.waiting_calls("")}' .. tenant end
local function offer_of(call)
  return (string.gsub('{redis_names.waiting_offer("@")}', '@', call))
end

local function weight_of(tenant)
  return tonumber(redis.call('HGET', WEIGHTS, tenant) or 1)
end

-- How many calls on the stream no worker has claimed, counted up to `most`.
local function unclaimed(most)
  local after = '-'
  local groups = redis.pcall('XINFO', 'GROUPS', STREAM)
  if not groups.err then
    for _, group in ipairs(groups) do
      local fields = {{}}
      for at = 1, #group, 2 do fields[group[at]] = group[at + 1] end
      if fields['name'] == '{redis_names.DISPATCH_GROUP}' then
        after = '(' .. fields['last-delivered-id']
      end
    end
  end
  return #redis.call('XRANGE', STREAM, after, '+', 'COUNT', most)
end

-- Whether no tenant has a call that waits. If so, every turn is over.
local function nobody_waits()
  for _, list in ipairs({{NEWCOMERS, TURNS}}) do
    for _, tenant in ipairs(redis.call('LRANGE', list, 0, -1)) do
      if redis.call('EXISTS', queue_of(tenant)) == 1 then return false end
    end
  end
  redis.call('DEL', NEWCOMERS, TURNS, DEFICITS)
  return true
end

-- The next call whose offer has not expired; nil if none waits.
local function next_call()
  while true do
    local list = redis.call('EXISTS', NEWCOMERS) == 1 and NEWCOMERS or TURNS
    local tenant = redis.call('LINDEX', list, 0)
    if not tenant then return nil end
    local queue = queue_of(tenant)
    local call = redis.call('LPOP', queue)
    local waits = call and redis.call('HEXISTS', offer_of(call), DOCUMENT) == 1
    local deficit = tonumber(redis.call('HGET', DEFICITS, tenant) or weight_of(tenant))
    if waits then deficit = deficit - 1 end
    if deficit >= 1 and redis.call('EXISTS', queue) == 1 then
      redis.call('HSET', DEFICITS, tenant, deficit)
    else
      redis.call('LPOP', list)
      redis.call('HDEL', DEFICITS, tenant)
      if call then redis.call('RPUSH', TURNS, tenant) end
    end
    if waits then return call end
  end
end

-- Fill the stream up to `window` calls that no worker has claimed.
local function advance(window)
  -- XRANGE with a COUNT of 0 gives no list.
  if window < 1 then return end
  if redis.call('EXISTS', NEWCOMERS, TURNS) == 0 then return end
  for _ = unclaimed(window) + 1, window do
    local call = next_call()
    if not call then return end
    local offer = offer_of(call)
    local documents = redis.call('HMGET', offer, DOCUMENT, HEADER)
    local entry = redis.call('XADD', STREAM, '*', DOCUMENT, documents[1], HEADER, documents[2])
    redis.call('HDEL', offer, DOCUMENT, HEADER)
    redis.call('HSET', offer, 'entry', entry)
    redis.call('EXPIRE', offer, {OFFER_MEMORY_SECONDS})
    local seconds = tonumber(redis.call('TIME')[1])
    local count = '{redis_names.dispatched_calls("")}'
      .. math.floor(seconds / {COUNT_WINDOW_SECONDS})
    redis.call('INCR', count)
    redis.call('EXPIRE', count, {2 * _COUNTED_WINDOWS * COUNT_WINDOW_SECONDS})
  end
end
"""

_ADD = (
    _LUA
    + """
local call, tenant, weight, ttl_ms = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local time = redis.call('TIME')
if weight == '1' then
  redis.call('HDEL', WEIGHTS, tenant)
elseif weight ~= '' then
  redis.call('HSET', WEIGHTS, tenant, weight)
end
local is_next = nobody_waits()
local waiting = redis.call('RPUSH', queue_of(tenant), call)
if waiting == 1 and not redis.call('LPOS', NEWCOMERS, tenant)
    and not redis.call('LPOS', TURNS, tenant) then
  redis.call('RPUSH', NEWCOMERS, tenant)
end
local share = waiting <= weight_of(tenant) and 'within' or 'beyond'
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local offer = offer_of(call)
redis.call('DEL', offer)
redis.call('HSET', offer, DOCUMENT, ARGV[5], HEADER, ARGV[6], 'share', share, 'since_ms', now_ms)
redis.call('PEXPIRE', offer, ttl_ms)
if is_next then advance(1) end
return redis.call('HGET', offer, 'entry')
"""
)

_ADVANCE = _LUA + "advance(tonumber(ARGV[1]))"

_WITHDRAW = (
    _LUA
    + f"""
local call, tenant = ARGV[1], ARGV[2]
local offer = offer_of(call)
local entry = redis.call('HGET', offer, 'entry')
if not entry and ARGV[3] ~= '' then entry = ARGV[3] end
redis.call('LREM', queue_of(tenant), 0, call)
redis.call('DEL', offer)
if entry then
  -- A worker may have been given the offer without being able to read it.
  redis.pcall('XACK', STREAM, '{redis_names.DISPATCH_GROUP}', entry)
  redis.call('XDEL', STREAM, entry)
end
"""
)


class DispatchQueue:
    """Every method raises ``RedisError`` or ``OSError`` while Redis is away."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._add = redis.register_script(_ADD)
        self._advance = redis.register_script(_ADVANCE)
        self._withdraw = redis.register_script(_WITHDRAW)

    async def add(self, offer: CallOffer, plan_document: str, weight: int | None) -> str | None:
        """Let a call wait for its turn. Adding it again is harmless.

        Args:
            weight: how many calls the tenant may send in one turn; ``None``: as before.

        Returns:
            The id of its entry on the dispatch stream, if its turn was at once.
        """
        ttl = offer.expires_at - offer.offered_at
        entry_id = await self._add(
            args=[
                str(offer.call_id),
                str(offer.tenant_id),
                "" if weight is None else weight,
                int(ttl.total_seconds() * 1000),
                plan_document,
                offer.model_dump_json(),
            ]
        )
        return None if entry_id is None else str(entry_id)

    async def advance(self, window: int = 1) -> None:
        """Put the next calls on the dispatch stream, until it holds ``window`` that no worker has
        claimed; none if it is 0. Call it when so many workers are about to read the stream."""
        await self._advance(args=[window])

    async def share_of(self, call_id: UUID) -> str | None:
        """Whether the call was ``within`` its tenant's share when it was added, which means that no
        more of the tenant's own calls waited before it than it sends in one turn, or ``beyond``
        it. ``None`` if that is not known: release 0.1 added it, or it was added long ago."""
        share = await self._redis.hget(redis_names.waiting_offer(call_id), "share")
        return None if share is None else str(share)

    async def withdraw(self, tenant_id: UUID, call_id: UUID, entry_id: str | None) -> None:
        """Take back the offer of a call that is over, wherever it waits.

        Args:
            entry_id: its entry on the dispatch stream, if that is known.
        """
        await self._withdraw(args=[str(call_id), str(tenant_id), entry_id or ""])

    async def entry_of(self, call_id: UUID) -> str | None:
        """The id of the call's entry on the dispatch stream; ``None`` if it has had no turn."""
        entry_id = await self._redis.hget(redis_names.waiting_offer(call_id), "entry")
        return None if entry_id is None else str(entry_id)

    async def waiting(self) -> dict[str, int]:
        """How many calls wait for their turn, by tenant id; no tenant without any."""
        async with self._redis.pipeline(transaction=False) as pipe:
            pipe.lrange(redis_names.DISPATCH_NEWCOMERS, 0, -1)
            pipe.lrange(redis_names.DISPATCH_TURNS, 0, -1)
            lists: list[list[Any]] = await pipe.execute()
            tenants = [str(tenant) for each in lists for tenant in each]
            for tenant in tenants:
                pipe.llen(redis_names.waiting_calls(tenant))
            lengths: list[int] = await pipe.execute()
        return {tenant: calls for tenant, calls in zip(tenants, lengths, strict=True) if calls}

    async def longest_wait_seconds(self, now_seconds: float) -> float:
        """How long the oldest call has waited for its turn; 0 if none waits."""
        tenants = list(await self.waiting())
        async with self._redis.pipeline(transaction=False) as pipe:
            for tenant in tenants:
                pipe.lindex(redis_names.waiting_calls(tenant), 0)
            oldest: list[Any] = await pipe.execute()
            for call_id in oldest:
                pipe.hget(redis_names.waiting_offer(str(call_id)), "since_ms")
            since_ms: list[Any] = await pipe.execute()
        waits = [now_seconds - int(each) / 1000 for each in since_ms if each is not None]
        return max([0.0, *waits])

    async def dispatched_recently(self, now_seconds: float) -> int:
        """How many calls had their turn within about the time for which an offer is valid."""
        newest = int(now_seconds) // COUNT_WINDOW_SECONDS
        windows = range(newest - _COUNTED_WINDOWS, newest + 1)
        counts = await self._redis.mget([redis_names.dispatched_calls(each) for each in windows])
        return sum(int(count) for count in counts if count is not None)
