"""A source is tried again as often as the job queue tries it, and never stays pending for ever."""

from __future__ import annotations

import asyncio

import pytest

from control_plane.building.knowledge_sources import tasks
from control_plane.building.knowledge_sources.tasks import (
    MOST_RETRIES,
    UNEXPECTED,
    ingest_source,
)
from control_plane.platform.errors import DatabaseUnavailable
from knowledge.embedding.model import EmbeddingFailed
from tests.control_plane.building.knowledge_sources.ingesting import Sources, ingestion_job

TEXT = {"kind": "text", "title": "Food", "text": "Breakfast is served from seven to ten."}


class Surprise(Exception):
    """Nobody expects it."""


async def added(sources: Sources) -> str:
    answer = await sources.tenant.post(sources.path, TEXT)
    return str(answer.json()["source"]["id"])


def breaks(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    async def broken(*_: object) -> bytes:
        raise error

    monkeypatch.setattr(tasks, "bundle_of", broken)


async def state(sources: Sources, source_id: str) -> tuple[str, str | None]:
    source = (await sources.get(source_id))["source"]
    return source["status"], source["failure_reason"]


def is_tried_again(error: BaseException, attempts: int) -> bool:
    return ingest_source.get_retry_exception(error, ingestion_job(attempts)) is not None


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (Surprise(), UNEXPECTED),
        (EmbeddingFailed(), "The passages could not be embedded"),
        (OSError(), "The passages could not be stored"),
    ],
)
async def test_a_source_fails_when_nobody_tries_it_again_and_not_before(
    sources: Sources, monkeypatch: pytest.MonkeyPatch, error: Exception, reason: str
) -> None:
    source_id = await added(sources)
    breaks(monkeypatch, error)
    for attempts in range(MOST_RETRIES + 1):
        assert await state(sources, source_id) == ("pending", None)
        with pytest.raises(type(error)):
            await sources.ingest(source_id, attempts)
        assert is_tried_again(error, attempts) == (attempts < MOST_RETRIES)
    status, shown = await state(sources, source_id)
    assert status == "failed"
    assert (shown or "").startswith(reason)


async def test_an_attempt_that_is_stopped_is_never_the_last_one(
    sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    source_id = await added(sources)
    with monkeypatch.context() as patch:
        breaks(patch, asyncio.CancelledError())
        with pytest.raises(asyncio.CancelledError):
            await sources.ingest(source_id, MOST_RETRIES)
    assert is_tried_again(asyncio.CancelledError(), MOST_RETRIES)
    assert await state(sources, source_id) == ("pending", None)
    await sources.ingest(source_id, MOST_RETRIES + 1)
    assert await state(sources, source_id) == ("ready", None)


async def test_a_source_whose_failure_could_not_be_written_is_tried_again(
    sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def database_is_away(*_: object) -> None:
        raise DatabaseUnavailable

    source_id = await added(sources)
    with monkeypatch.context() as patch:
        breaks(patch, DatabaseUnavailable())
        patch.setattr(tasks, "_failed", database_is_away)
        with pytest.raises(Exception) as last:  # noqa: PT011 - the queue's own
            await sources.ingest(source_id, MOST_RETRIES)
    assert is_tried_again(last.value, MOST_RETRIES)
    assert await state(sources, source_id) == ("pending", None)
    await sources.ingest(source_id, MOST_RETRIES + 1)
    assert await state(sources, source_id) == ("ready", None)
