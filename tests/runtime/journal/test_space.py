"""A worker whose journals are too large takes no new calls."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from runtime.journal import space as journal_space
from runtime.journal.space import JournalSpace
from runtime.slots import Slots


async def test_no_slot_is_free_while_the_journals_are_too_large(tmp_path: Path):
    slots = Slots(3)
    slots.admit().hold()
    space = JournalSpace(tmp_path, 100, slots)
    await space.look()
    assert (slots.usable, space.used_bytes) == (3, 0)
    for number in range(2):
        (tmp_path / f"{number}.jsonl").write_bytes(b"x" * 50)
    with capture_logs() as logs:
        await space.look()
        await space.look()
        assert (slots.usable, space.used_bytes, space.is_full) == (1, 100, True)
        (tmp_path / "0.jsonl").unlink()
        await space.look()
    assert (slots.usable, space.is_full, space.times_full) == (3, False, 1)
    assert [entry["event"] for entry in logs] == ["journals.full", "journals.have_room"]
    assert (tmp_path / "1.jsonl").exists(), "no fact is dropped"


async def test_a_disk_with_hardly_any_room_is_full_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(journal_space, "LEAST_FREE_BYTES", 2**60)
    slots = Slots(3)
    await JournalSpace(tmp_path, 100, slots).look()
    assert slots.usable == 0


async def test_a_folder_that_cannot_be_read_takes_no_calls_and_ends_no_worker(tmp_path: Path):
    slots = Slots(3)
    folder = tmp_path / "journal"
    space = JournalSpace(folder, 100, slots)
    await space.look()
    assert (slots.usable, space.is_full) == (0, True)
    folder.mkdir()
    await space.look()
    assert (slots.usable, space.is_full) == (3, False)
    assert list(folder.iterdir()) == []


async def test_a_disk_that_has_refused_a_journal_gets_no_calls_until_it_takes_a_file(
    tmp_path: Path,
):
    slots = Slots(3)
    space = JournalSpace(tmp_path, 100, slots)
    in_the_way = tmp_path / journal_space.PROBE
    in_the_way.mkdir()
    with capture_logs() as logs:
        space.refused(OSError(errno.EROFS, "read-only file system"))
        assert (slots.usable, space.is_full) == (0, True)
        await space.look()
        assert slots.usable == 0
        in_the_way.rmdir()
        await space.look()
        assert (slots.usable, space.is_full) == (3, False)
    assert [entry["event"] for entry in logs] == ["journals.refused", "journals.have_room"]
