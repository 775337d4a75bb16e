from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import obstore
import pytest

from pipelines.engine.knowledge.bundle_downloads import BundleDownloads


def a_store(folder: Path) -> BundleDownloads:
    (folder / "bundle").write_bytes(b"passages")
    return BundleDownloads(folder.as_uri(), silence_seconds=1.0)


def test_a_store_is_silent_while_it_owes_something_and_gives_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    downloads, begun = a_store(tmp_path), time.monotonic()
    assert not downloads.are_silent_since(begun), "nothing was asked"
    get, while_asked = obstore.get, list[bool]()

    def noted(*wanted: Any) -> Any:
        while_asked.append(downloads.are_silent_since(begun))
        return get(*wanted)

    monkeypatch.setattr(obstore, "get", noted)
    parts = downloads.parts("bundle")
    assert next(parts) == b"passages"
    assert while_asked == [True]
    assert not downloads.are_silent_since(begun)
    assert downloads.are_silent_since(time.monotonic() + 1)
    assert list(parts) == []
    assert not downloads.are_silent_since(time.monotonic() + 1), "it owes nothing any more"


def test_a_store_that_says_no_is_not_silent(tmp_path: Path) -> None:
    downloads = a_store(tmp_path)
    with pytest.raises(OSError, match="nothing"):
        list(downloads.parts("nothing"))
    assert not downloads.are_silent_since(time.monotonic())
