from __future__ import annotations

import mmap
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from knowledge.bundle import BundleDamaged, digest_of, packed
from knowledge.copies import BundleCopies
from knowledge.passages import Passage

WAIT_SECONDS = 60


def bundle_of(text: str) -> bytes:
    return packed([Passage("Guide", text)], np.eye(1, 4, dtype=np.float32), "a-model")


CONTENT = bundle_of("Breakfast is served from seven to ten.")
DIGEST = digest_of(CONTENT)


class Source:
    """Counts how often it is fetched."""

    def __init__(self, content: bytes = CONTENT) -> None:
        self.content = content
        self.fetched = 0

    def fetch(self) -> Iterator[bytes]:
        self.fetched += 1
        yield self.content[:100]
        yield self.content[100:]


class SlowSource(Source):
    """Waits in the middle until it may go on."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.may_go_on = Event(), Event()

    def fetch(self) -> Iterator[bytes]:
        first, second = super().fetch()
        yield first
        self.begun.set()
        assert self.may_go_on.wait(WAIT_SECONDS)
        yield second


def soon() -> float:
    return time.monotonic() + WAIT_SECONDS


def keep(copies: BundleCopies, text: str) -> str:
    content = bundle_of(text)
    digest = digest_of(content)
    copies.mapped(digest, Source(content).fetch, soon())
    return digest


def test_a_bundle_is_fetched_once_and_mapped_from_the_disk(tmp_path: Path) -> None:
    source, folder = Source(), tmp_path / "copies"
    for _ in range(2):
        bundle = BundleCopies(folder).mapped(DIGEST, source.fetch, soon())
        assert bundle.passage(0).text == "Breakfast is served from seven to ten."
        assert isinstance(bundle._content, mmap.mmap)
    assert source.fetched == 1
    assert [file.name for file in folder.iterdir()] == [DIGEST]


def test_who_wants_a_bundle_that_is_being_fetched_waits_for_it(tmp_path: Path) -> None:
    source, copies = SlowSource(), BundleCopies(tmp_path)
    with ThreadPoolExecutor() as threads:
        first = threads.submit(copies.mapped, DIGEST, source.fetch, soon())
        assert source.begun.wait(WAIT_SECONDS)
        second = threads.submit(copies.mapped, DIGEST, source.fetch, soon())
        with pytest.raises(TimeoutError, match="still being fetched"):
            copies.mapped(DIGEST, source.fetch, time.monotonic())
        keep(copies, "Other bundles do not wait.")
        source.may_go_on.set()
        assert len(first.result()) == len(second.result()) == 1
    assert source.fetched == 1


def test_a_copy_that_is_here_is_opened_without_waiting_for_a_turn(tmp_path: Path) -> None:
    source, copies = SlowSource(), BundleCopies(tmp_path)
    assert copies.opened(DIGEST) is None
    with ThreadPoolExecutor() as threads:
        fetching = threads.submit(copies.mapped, DIGEST, source.fetch, soon())
        assert source.begun.wait(WAIT_SECONDS)
        keep(BundleCopies(tmp_path), "Breakfast is served from seven to ten.")
        for opened in (
            copies.opened(DIGEST),
            copies.mapped(DIGEST, source.fetch, time.monotonic()),
        ):
            assert opened is not None
            assert len(opened) == 1
        source.may_go_on.set()
        fetching.result()


def test_processes_that_fetch_the_same_bundle_at_once_both_have_it(tmp_path: Path) -> None:
    slow, quick = SlowSource(), Source()
    with ThreadPoolExecutor() as threads:
        first = threads.submit(BundleCopies(tmp_path).mapped, DIGEST, slow.fetch, soon())
        assert slow.begun.wait(WAIT_SECONDS)
        assert len(BundleCopies(tmp_path).mapped(DIGEST, quick.fetch, soon())) == 1
        slow.may_go_on.set()
        assert len(first.result()) == 1
    assert [file.name for file in tmp_path.iterdir()] == [DIGEST]


def test_nothing_is_fetched_when_nobody_waits_for_it_any_more(tmp_path: Path) -> None:
    source, copies = Source(), BundleCopies(tmp_path)
    with pytest.raises(TimeoutError):
        copies.mapped(DIGEST, source.fetch, time.monotonic())
    assert source.fetched == 0
    copies.mapped(DIGEST, source.fetch, soon())
    assert len(copies.mapped(DIGEST, source.fetch, time.monotonic())) == 1


def test_another_bundle_under_the_name_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(BundleDamaged):
        BundleCopies(tmp_path).mapped(DIGEST, Source(bundle_of("Other.")).fetch, soon())
    assert list(tmp_path.iterdir()) == []


def test_what_breaks_off_leaves_nothing_and_is_tried_again(tmp_path: Path) -> None:
    def broken() -> Iterator[bytes]:
        yield CONTENT[:100]
        raise ConnectionResetError

    copies = BundleCopies(tmp_path)
    with pytest.raises(ConnectionResetError):
        copies.mapped(DIGEST, broken, soon())
    assert list(tmp_path.iterdir()) == []
    assert len(copies.mapped(DIGEST, Source().fetch, soon())) == 1


def test_a_copy_that_a_crash_cut_short_is_fetched_again(tmp_path: Path) -> None:
    (tmp_path / DIGEST).write_bytes(CONTENT[:-200])
    assert len(BundleCopies(tmp_path).mapped(DIGEST, Source().fetch, soon())) == 1
    assert (tmp_path / DIGEST).read_bytes() == CONTENT


def test_the_copies_that_were_not_used_for_longest_make_room(tmp_path: Path) -> None:
    copies = BundleCopies(tmp_path, most_bytes=3 * len(CONTENT))
    first, second, third = (keep(copies, f"Breakfast is served from {at}.") for at in range(3))
    for hours, digest in ((3, first), (2, second), (1, third)):
        os.utime(tmp_path / digest, (time.time() - 3600 * hours,) * 2)
    mapped = copies.mapped(first, Source().fetch, soon())
    still_mapped = copies.mapped(second, Source().fetch, soon())
    os.utime(tmp_path / second, (0, 0))
    newest = keep(copies, "Breakfast is served all day.")
    assert {file.name for file in tmp_path.iterdir()} == {first, third, newest}
    assert mapped.passage(0).text == "Breakfast is served from 0."
    assert still_mapped.passage(0).text == "Breakfast is served from 1."


def test_a_file_that_vanishes_while_room_is_made_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies = BundleCopies(tmp_path)
    keep(copies, "Other.")
    listed = [*tmp_path.iterdir(), tmp_path / "evicted", tmp_path / "renamed.part"]
    monkeypatch.setattr(Path, "iterdir", lambda _: iter(listed))
    assert len(copies.mapped(DIGEST, Source().fetch, soon())) == 1


def test_what_others_are_writing_stays_and_what_the_dead_were_writing_goes(tmp_path: Path) -> None:
    live, dead = tmp_path / "a.part", tmp_path / "b.part"
    for file in (live, dead):
        file.write_bytes(CONTENT)
    two_hours_ago = time.time() - 7200
    os.utime(dead, (two_hours_ago, two_hours_ago))
    BundleCopies(tmp_path, most_bytes=1).mapped(DIGEST, Source().fetch, soon())
    assert {file.name for file in tmp_path.iterdir()} == {live.name, DIGEST}
