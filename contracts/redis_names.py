"""Every key and stream that the control plane and the media workers share, in one place.

An entry of a stream holds a JSON document of ``contracts`` in ``FIELD``. Offers of calls have a
second one in ``HEADER_FIELD``.
"""

from __future__ import annotations

from uuid import UUID

FIELD = "json"
HEADER_FIELD = "header"

DISPATCH_STREAM = "switchboard:dispatch"
"""Control plane → workers: one ``CallPlan`` per entry, with its ``CallOffer`` as the header."""
DISPATCH_GROUP = "workers"

DISPATCH_NEWCOMERS = "switchboard:dispatch:newcomers"
"""List of the tenants whose calls wait and that have had no turn yet. Theirs come first."""
DISPATCH_TURNS = "switchboard:dispatch:turns"
"""List of the other tenants whose calls wait, in the order of their turns. A tenant without waiting
calls leaves it when its turn comes."""
DISPATCH_DEFICITS = "switchboard:dispatch:deficits"
"""Hash of tenant id → how many more calls it may send to the workers in its turn. A tenant that is
not in it may send as many as its weight says."""
DISPATCH_WEIGHTS = "switchboard:dispatch:weights"
"""Hash of tenant id → its weight, if that is not 1."""

EVENT_STREAM = "switchboard:events"
"""Workers → control plane: one ``CallEvent`` per entry, of any call.

Workers of release 0.1 know only this stream, and later ones use it while no shards are announced.
"""
EVENT_GROUP = "control-plane"
"""The group of the event stream and of all its shards."""

EVENT_SHARDS = 24
"""How many shards this release consumes and announces. Each belongs to one jobs process at a time,
and 24 of them are divided evenly among 1, 2, 3, 4, 6, 8 or 12 processes."""
ANNOUNCED_SHARDS = "switchboard:events:shards"
"""Key holding the number of shards that workers write their events to, expiring after
``ANNOUNCED_SHARDS_TTL_SECONDS``. Jobs processes that consume shards keep renewing it. Without it
workers write to ``EVENT_STREAM``, because only processes of release 0.1 may be reading."""
ANNOUNCED_SHARDS_TTL_SECONDS = 10

WORKERS = "switchboard:workers"
"""Set of worker ids. A worker adds itself with each heartbeat and removes itself when it stops."""

APPLIED = "switchboard:applied"
"""Hash of call id → highest ``seq`` up to which all events are applied in PostgreSQL.

A worker deletes a call's journal only after the control plane has written the last ``seq`` here.
"""

MEDIA = "switchboard:media"
"""Hash of call id → ``CallMedia`` JSON, the last known media position. It does not expire,
because a dead worker's calls are billed by it. The control plane deletes the field of a call that
is settled."""

DIAL_REPORT_STREAM = "switchboard:dial-reports"
"""Bridges → control plane: one ``DialReport`` per entry."""
DIAL_REPORT_GROUP = "control-plane"

DIAL_REQUEST_GROUP = "bridges"

LOST_LEGS = "switchboard:lost-legs"
"""Control plane or a bridge → any bridge: one ``LostLeg`` per entry, read in
``DIAL_REQUEST_GROUP``."""

CARRIER_ACCOUNTS = "switchboard:carrier-accounts"
"""Hash of account id → ``CarrierAccount`` JSON. The control plane keeps it complete."""

INBOUND_CALLS = "switchboard:inbound-calls"
"""Bridges → control plane: one ``InboundCall`` per entry."""
INBOUND_GROUP = "control-plane"

HEARTBEAT_INTERVAL_SECONDS = 1.0
HEARTBEAT_TTL_SECONDS = 6
CLAIM_TTL_SECONDS = 6
"""The lease of a call whose room is not open yet: another worker can still begin it."""
LEASE_TTL_SECONDS = 30
"""A call whose lease has lapsed has lost its worker. A worker may be cut off from Redis for 20 s,
and then needs up to ``RENEWAL_SECONDS``."""
RENEWAL_SECONDS = 10
"""Within this time after Redis is back, every worker has renewed its leases: the longest pause, a
timeout while connecting, one while waiting for an answer, and the interval of the heartbeat."""
ATTEMPT_TTL_SECONDS = 6
"""A dialing attempt that was not renewed for this long has lost its bridge."""

RENEWAL_PROBE = "switchboard:renewal-probe"
"""Key that the control plane writes before it judges by what is missing: where it cannot, nobody
could renew anything. It expires after ``LEASE_TTL_SECONDS``."""

LIVE_TTL_SECONDS = 3600
"""How long a call's live stream outlasts its last message."""


EVENT_CONSUMERS = "switchboard:events:consumers"
"""Sorted set of the processes that consume shards, by the server's time in ms at which each was
last seen."""


def event_shard(number: int) -> str:
    """Stream of the events of some calls, see ``event_shard_of``."""
    return f"switchboard:events:{number}"


def event_shard_of(call_id: UUID, shards: int) -> str:
    """The stream for the events of a call. The last bits of an id are random in every version of
    UUID that we use."""
    return event_shard(call_id.int % shards)


def worker_commands(worker_id: str) -> str:
    """Stream of ``Command`` documents for one worker."""
    return f"switchboard:worker:{worker_id}:commands"


def worker_heartbeat(worker_id: str) -> str:
    """Key holding a ``WorkerHeartbeat`` document, expiring after ``HEARTBEAT_TTL_SECONDS``."""
    return f"switchboard:worker:{worker_id}:heartbeat"


def worker_claim(worker_id: str) -> str:
    """Key holding a token of the one process that may run under the worker's id, expiring after
    ``HEARTBEAT_TTL_SECONDS``."""
    return f"switchboard:worker:{worker_id}:claim"


def worker_media_secret(worker_id: str) -> str:
    """Key holding the secret from which the tokens of a worker's phone legs are made
    (``contracts.phone_media.leg_token``), expiring after ``HEARTBEAT_TTL_SECONDS``."""
    return f"switchboard:worker:{worker_id}:media-secret"


def call_lease(call_id: UUID) -> str:
    """Key holding the id of the worker that runs the call, expiring after ``CLAIM_TTL_SECONDS``;
    once its room is open, after ``LEASE_TTL_SECONDS`` or what its worker is set to."""
    return f"switchboard:call:{call_id}:lease"


def waiting_calls(tenant_id: UUID | str) -> str:
    """List of the tenant's calls that wait for their turn on the dispatch stream, oldest first."""
    return f"switchboard:dispatch:waiting:{tenant_id}"


def waiting_offer(call_id: UUID | str) -> str:
    """Hash with the offer of a call that waits for its turn; then with its entry's id on the
    dispatch stream. It expires."""
    return f"switchboard:call:{call_id}:offer"


def offers(call_id: UUID) -> str:
    """Sorted set of participant and client → the number of that client's newest SDP offer. It
    expires."""
    return f"switchboard:call:{call_id}:offers"


def dispatched_calls(window: int | str) -> str:
    """Counter of the calls that were added to the dispatch stream in one window of time. It
    expires."""
    return f"switchboard:dispatch:count:{window}"


def live_stream(call_id: UUID) -> str:
    """Stream of ``LiveMessage`` documents of one call, capped, expiring after ``LIVE_TTL_SECONDS``
    without a message. Entry ids are the event ids of the server-sent events."""
    return f"switchboard:call:{call_id}:live"


def dial_requests(carrier: str) -> str:
    """Stream of ``DialRequest`` documents for the bridges that have this carrier."""
    return f"switchboard:dial:{carrier}"


def bridge_commands(bridge_id: str) -> str:
    """Stream of ``HangUpLeg`` documents for one bridge."""
    return f"switchboard:bridge:{bridge_id}:commands"


def dial_attempt(attempt_id: UUID) -> str:
    """Key holding the newest ``DialReport`` of an attempt. Its bridge keeps renewing the expiry."""
    return f"switchboard:attempt:{attempt_id}"


def reply(request_id: UUID) -> str:
    """List to which a worker pushes the one ``CommandReply`` to a command that asked for it, or the
    control plane the ``InboundReply`` to a bridge."""
    return f"switchboard:reply:{request_id}"
