"""A worker gets the journals of every worker that died on its disk, and of no other."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from runtime.journal.folder_lock import FolderLock, JournalsInUse
from runtime.journal.inheritance import take_over
from runtime.journal.store import JournalStore


def worker_folder(workers: Path, name: str, **journals: str) -> Path:
    """What a worker that was killed leaves."""
    folder = workers / name
    (folder / "journal").mkdir(parents=True)
    (folder / "worker.lock").touch()
    (folder / "instance").write_text("token")
    for call, content in journals.items():
        (folder / "journal" / f"{call}.jsonl").write_text(content)
    return folder


def journals_of(folder: Path) -> dict[str, str]:
    return {path.stem: path.read_text() for path in (folder / "journal").iterdir()}


def test_the_journals_of_all_dead_workers_move_to_the_new_one(tmp_path: Path) -> None:
    worker_folder(tmp_path, "worker-1", one="1")
    worker_folder(tmp_path, "host-20260101-000000-abcd", two="2", three="3")
    heir = worker_folder(tmp_path, "heir", own="0")
    assert take_over(tmp_path, heir) == 3
    assert journals_of(heir) == {"own": "0", "one": "1", "two": "2", "three": "3"}
    assert list(tmp_path.iterdir()) == [heir]


def test_a_worker_that_runs_keeps_its_journals(tmp_path: Path) -> None:
    running = worker_folder(tmp_path, "running", one="1")
    heir = worker_folder(tmp_path, "heir")
    with closing(FolderLock(running)):
        assert take_over(tmp_path, heir) == 0
    assert journals_of(running) == {"one": "1"}


def test_of_two_journals_of_one_call_neither_is_overwritten(tmp_path: Path) -> None:
    dead = worker_folder(tmp_path, "dead", same="with events")
    heir = worker_folder(tmp_path, "heir", same="")
    assert take_over(tmp_path, heir) == 0
    assert (journals_of(heir), journals_of(dead)) == ({"same": ""}, {"same": "with events"})
    (heir / "journal" / "same.jsonl").unlink()
    assert take_over(tmp_path, heir) == 1
    assert journals_of(heir) == {"same": "with events"}


def test_a_folder_that_cannot_be_taken_over_keeps_no_other_from_it(tmp_path: Path) -> None:
    strange = worker_folder(tmp_path, "a-strange-one", one="1")
    (strange / "worker.lock").unlink()
    (strange / "worker.lock").mkdir()
    worker_folder(tmp_path, "dead", two="2")
    heir = worker_folder(tmp_path, "heir")
    assert take_over(tmp_path, heir) == 1
    assert (journals_of(heir), journals_of(strange)) == ({"two": "2"}, {"one": "1"})


def test_what_is_no_workers_folder_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "lost+found"
    other.mkdir()
    assert take_over(tmp_path, worker_folder(tmp_path, "heir")) == 0
    assert other.is_dir()


def test_a_folder_whose_lock_was_removed_meanwhile_counts_as_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.path.samestat", lambda *_: False)
    with pytest.raises(JournalsInUse):
        FolderLock(tmp_path)


def test_one_worker_per_directory(tmp_path: Path) -> None:
    with closing(JournalStore(tmp_path, "w1")), pytest.raises(JournalsInUse):
        JournalStore(tmp_path, "w2")
