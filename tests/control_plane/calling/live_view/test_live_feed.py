from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

import pytest

from control_plane.calling.live_view import live_feed
from control_plane.calling.live_view.live_feed import LiveFeed
from control_plane.calling.live_view.repository import RecordedStatus
from control_plane.platform.link.live_streams import BEFORE_ALL, EntryId, LiveEntry


async def test_viewers_see_what_comes_after_an_error_that_nobody_foresaw(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    call_id, entry = uuid4(), LiveEntry(EntryId(1, 0), None)
    has_failed = False

    async def new_entries(
        redis: Any, positions: Mapping[UUID, EntryId], **_: int
    ) -> dict[UUID, list[LiveEntry]]:
        nonlocal has_failed
        if not has_failed:
            has_failed = True
            raise KeyError("a fault of ours")
        if positions[call_id] == BEFORE_ALL:
            return {call_id: [entry]}
        await asyncio.Event().wait()
        return {}

    monkeypatch.setattr(live_feed, "new_entries", new_entries)
    monkeypatch.setattr(live_feed, "_AWAY_SECONDS", 0)
    nowhere: Any = None
    feed = LiveFeed(nowhere, nowhere)
    with feed.watching(call_id, RecordedStatus("in_progress", None), BEFORE_ALL) as watch:
        assert await watch.changed(seconds=1.0)
        assert watch.tail.after(BEFORE_ALL) == [entry]
    await feed.aclose()
