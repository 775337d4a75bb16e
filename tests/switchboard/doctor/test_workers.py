"""What the doctor says of running workers."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from redis import Redis

from contracts import redis_names
from contracts.heartbeat import WorkerHeartbeat
from switchboard.doctor.workers import workers
from switchboard.settings import Settings


def beat(url: str, worker_id: str, because: str | None = None) -> None:
    heartbeat = WorkerHeartbeat(
        worker_id=worker_id,
        sent_at=datetime.now(UTC),
        state="ready",
        slots_total=8,
        slots_used=3,
        claims_nothing_because=because,
        claims_nothing_seconds=0.0 if because is None else 12.3,
    )
    with Redis.from_url(url) as redis:
        redis.sadd(redis_names.WORKERS, worker_id, "one that died")
        redis.set(redis_names.worker_heartbeat(worker_id), heartbeat.model_dump_json())


def test_workers_that_claim_calls_are_counted(tmp_path: Path, valkey_url: str) -> None:
    settings = Settings(data_dir=tmp_path, redis_url=valkey_url)
    assert workers(settings) == [], "none is running"
    beat(valkey_url, "w1")
    beat(valkey_url, "w2")
    [finding] = workers(settings)
    assert (finding.level, finding.found) == ("ok", "2 running, 6 of 16 slots used")


def test_a_worker_that_claims_none_is_named_with_its_reason(
    tmp_path: Path, valkey_url: str
) -> None:
    beat(valkey_url, "w1")
    beat(valkey_url, "w2", "frames_late")
    [finding] = workers(Settings(data_dir=tmp_path, redis_url=valkey_url))
    assert finding.level == "warn"
    assert finding.found == "w2 has claimed no calls for 12 s (frames_late)"


def test_a_server_that_does_not_answer_is_another_checks_subject(tmp_path: Path) -> None:
    assert workers(Settings(data_dir=tmp_path, redis_url="redis://127.0.0.1:1")) == []
    assert workers(Settings(data_dir=tmp_path)) == []
