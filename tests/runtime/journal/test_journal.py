import errno
import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from contracts.end_reasons import EndReason
from contracts.events import CallEnded, CallEvent, CallMetered, Logged, RoomOpened
from runtime.journal import journal as journal_module
from runtime.journal.journal import Journal
from runtime.journal.journal_lines import JournalOfAnotherRelease, JournalUnreadable
from runtime.journal.store import JournalStore
from tests.runtime.fakes import call_plan


@pytest.fixture
def executor() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as threads:
        yield threads


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "call.jsonl"


def lines_of(path: Path) -> list[str]:
    return path.read_text().split("\n")


def files_beside(path: Path) -> list[Path]:
    return list(path.parent.iterdir())


def leave(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def tear(path: Path, torn_bytes: int) -> None:
    os.truncate(path, path.stat().st_size - torn_bytes)


async def test_events_are_numbered_from_one_and_on_disk(path: Path, executor: ThreadPoolExecutor):
    journal = await Journal.create(path, call_plan(), "w1", executor)
    assert journal.append(RoomOpened()).seq == 1
    assert journal.append(CallMetered(connected_ms=5)).seq == 2
    await journal.wait_durable()
    assert journal.durable_seq == 2
    lines = lines_of(path)
    assert len(lines) == 4
    assert CallEvent.model_validate_json(lines[2]).body == CallMetered(connected_ms=5)
    await journal.aclose()


async def test_reads_any_stretch(path: Path, executor: ThreadPoolExecutor):
    journal = await Journal.create(path, call_plan(), "w1", executor)
    texts = [f"zeile {number} — ü\u2028\n" for number in range(1, 8)]
    for text in texts:
        journal.append(Logged(level="info", message=text))
    await journal.wait_durable()
    documents = await journal.read(3, limit=2)
    events = [CallEvent.model_validate_json(each) for each in documents]
    assert [each.seq for each in events] == [3, 4]
    assert events[0].body == Logged(level="info", message=texts[2])
    assert len(await journal.read(1, limit=100)) == 7
    assert await journal.read(8, limit=100) == []
    await journal.aclose()


async def test_reopened_after_a_crash_it_goes_on_with_the_next_number(
    path: Path, executor: ThreadPoolExecutor
):
    plan = call_plan()
    journal = await Journal.create(path, plan, "w1", executor)
    journal.append(RoomOpened())
    await journal.aclose()
    reopened, events = await Journal.reopen(path, "w2", executor)
    assert reopened.plan == plan
    assert [each.body for each in events] == [RoomOpened()]
    event = reopened.append(CallEnded(end_reason=EndReason.WORKER_ERROR, connected_ms=None))
    assert (event.seq, event.worker_id) == (2, "w2")
    await reopened.aclose()
    _, events = await Journal.reopen(path, "w3", executor)
    assert len(events) == 2


@pytest.mark.parametrize("torn_bytes", [1, 20])
async def test_a_torn_last_line_is_cut_off(
    path: Path, executor: ThreadPoolExecutor, torn_bytes: int
):
    journal = await Journal.create(path, call_plan(), "w1", executor)
    journal.append(RoomOpened())
    journal.append(CallMetered(connected_ms=1))
    await journal.aclose()
    tear(path, torn_bytes)
    reopened, events = await Journal.reopen(path, "w2", executor)
    assert [each.body for each in events] == [RoomOpened()]
    reopened.append(CallMetered(connected_ms=2))
    await reopened.aclose()
    _, events = await Journal.reopen(path, "w3", executor)
    assert events[-1].body == CallMetered(connected_ms=2)


@pytest.mark.parametrize("content", [b"", b'{"version": 1', b'{"no": "plan"}\n'])
async def test_a_file_without_a_plan_is_unreadable(
    path: Path, executor: ThreadPoolExecutor, content: bytes
):
    leave(path, content)
    with pytest.raises(JournalUnreadable):
        await Journal.reopen(path, "w1", executor)


def of_another_release(event: CallEvent, **body: Any) -> bytes:
    document = event.model_dump(mode="json")
    return json.dumps(document | {"mood": "sunny", "body": body}).encode() + b"\n"


async def test_events_of_another_release_are_kept_and_shipped_as_they_were_written(
    path: Path, executor: ThreadPoolExecutor
):
    journal = await Journal.create(path, call_plan(), "w1", executor)
    opened = journal.append(RoomOpened())
    unknown = of_another_release(journal.append(RoomOpened()), type="hologram.projected")
    metered = journal.append(CallMetered(connected_ms=5))
    await journal.aclose()
    plan = lines_of(path)[0].encode() + b"\n"
    known = [each.model_dump_json().encode() + b"\n" for each in (opened, metered)]
    leave(path, plan + unknown.join(known))
    reopened, events = await Journal.reopen(path, "w2", executor)
    assert [each.body for each in events] == [RoomOpened(), CallMetered(connected_ms=5)]
    assert reopened.append(CallMetered(connected_ms=6)).seq == 4
    await reopened.wait_durable()
    assert (await reopened.read(2, limit=1))[0].encode() + b"\n" == unknown
    await reopened.aclose()


async def test_an_end_of_another_release_ends_the_call(path: Path, executor: ThreadPoolExecutor):
    journal = await Journal.create(path, call_plan(), "w1", executor)
    opened = journal.append(RoomOpened())
    await journal.aclose()
    plan = lines_of(path)[0].encode() + b"\n"
    leave(path, plan + of_another_release(opened, type="call.ended", end_reason="abducted"))
    reopened, events = await Journal.reopen(path, "w2", executor)
    assert (events, reopened.last_seq, reopened.has_ended) == ([], 1, True)
    await reopened.aclose()


async def test_a_journal_whose_plan_only_another_release_can_read_stays_for_it(tmp_path: Path):
    store = JournalStore(tmp_path, "w1")
    plan = call_plan()
    path = tmp_path / "journal" / f"{plan.call_id}.jsonl"
    content = json.dumps(plan.model_dump(mode="json") | {"version": 2}).encode() + b"\n"
    leave(path, content)
    assert [each async for each in store.left_behind()] == []
    assert files_beside(path) == [path]
    with pytest.raises(JournalOfAnotherRelease), ThreadPoolExecutor(1) as executor:
        await Journal.reopen(path, "w1", executor)
    store.close()


async def test_a_journal_that_the_disk_does_not_give_keeps_no_other_from_being_read(
    tmp_path: Path,
):
    store = JournalStore(tmp_path, "w1")
    journal = await store.create(call_plan())
    await journal.aclose()
    (tmp_path / "journal" / "0.jsonl").mkdir()
    found = [each async for each, _ in store.left_behind()]
    assert [each.path for each in found] == [journal.path]
    await found[0].aclose()
    store.close()


async def test_nothing_follows_the_end_of_the_call(path: Path, executor: ThreadPoolExecutor):
    journal = await Journal.create(path, call_plan(), "w1", executor)
    journal.append(CallEnded(end_reason=EndReason.NORMAL_HANGUP, connected_ms=1))
    with pytest.raises(RuntimeError):
        journal.append(RoomOpened())
    await journal.delete()
    assert files_beside(path) == []


async def test_a_call_has_one_journal(path: Path, executor: ThreadPoolExecutor):
    journal = await Journal.create(path, call_plan(), "w1", executor)
    with pytest.raises(FileExistsError):
        await Journal.create(path, call_plan(), "w1", executor)
    await journal.aclose()


async def test_a_full_disk_delays_facts_but_loses_none(
    path: Path, executor: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(journal_module, "RETRY_SECONDS", 0.0)
    journal = await Journal.create(path, call_plan(), "w1", executor)
    really_write = os.pwrite
    failures = [OSError(28, "No space left on device")] * 2

    def write_when_there_is_room(descriptor: int, content: bytes, offset: int) -> int:
        if failures:
            really_write(descriptor, content[:5], offset)
            raise failures.pop()
        return really_write(descriptor, content, offset)

    monkeypatch.setattr(os, "pwrite", write_when_there_is_room)
    journal.append(RoomOpened())
    journal.append(CallMetered(connected_ms=1))
    assert journal.durable_seq == 0
    journal.append(CallMetered(connected_ms=2))
    await journal.wait_durable()
    await journal.aclose()
    _, events = await Journal.reopen(path, "w2", executor)
    assert [each.seq for each in events] == [1, 2, 3]


async def test_a_journal_that_could_not_be_written_leaves_nothing_behind(
    path: Path, executor: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
):
    """Its call comes again, and must not be taken for one that runs here already."""

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "no space is left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        await Journal.create(path, call_plan(), "w1", executor)
    monkeypatch.undo()
    assert files_beside(path) == []
    journal = await Journal.create(path, call_plan(), "w1", executor)
    await journal.aclose()
