"""Whether the media workers claim calls, by their own words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from contracts import redis_names
from contracts.heartbeat import WorkerHeartbeat
from contracts.versions import read_json
from switchboard.doctor.finding import Finding, ok, warn
from switchboard.settings import Settings
from switchboard.state import read_secrets

_SUBJECT = "Workers"
_ANSWER_SECONDS = 2.0


def workers(settings: Settings) -> list[Finding]:
    """Nothing if no worker is running."""
    url = settings.redis_url or _embedded_redis_url(settings.data_dir)
    heartbeats = [] if url is None else list(_heartbeats(url))
    if not heartbeats:
        return []
    if held_back := [each for each in heartbeats if each.claims_nothing_because is not None]:
        return [
            warn(
                _SUBJECT,
                "; ".join(
                    f"{each.worker_id} has claimed no calls for {each.claims_nothing_seconds:.0f} s"
                    f" ({each.claims_nothing_because})"
                    for each in held_back
                ),
                "See docs/operator.md, “When a worker is full”.",
            )
        ]
    used = sum(each.slots_used for each in heartbeats)
    total = sum(each.slots_total for each in heartbeats)
    return [ok(_SUBJECT, f"{len(heartbeats)} running, {used} of {total} slots used")]


def _embedded_redis_url(data_dir: Path) -> str | None:
    """Of the last start; it may not be running."""
    secrets = read_secrets(data_dir)
    return None if secrets is None else secrets.redis_url


def _heartbeats(url: str) -> Iterator[WorkerHeartbeat]:
    """Of the workers whose heartbeats this release can read. None if Redis does not answer."""
    from pydantic import ValidationError
    from redis import Redis
    from redis.exceptions import RedisError

    try:
        with Redis.from_url(
            url,
            socket_connect_timeout=_ANSWER_SECONDS,
            socket_timeout=_ANSWER_SECONDS,
            decode_responses=True,
        ) as redis:
            ids = sorted(redis.smembers(redis_names.WORKERS))
            documents = redis.mget([redis_names.worker_heartbeat(each) for each in ids])
    except (RedisError, OSError, ValueError):
        return
    for document in documents:
        if document is not None:
            try:
                yield read_json(WorkerHeartbeat, document)
            except ValidationError:
                continue
