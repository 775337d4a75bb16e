from __future__ import annotations

from pathlib import Path

import pytest

from runtime.recording.part_store import ObjectPartStore, PartNotStored


async def test_a_folder_is_made_with_the_first_part(tmp_path: Path) -> None:
    store = ObjectPartStore((tmp_path / "objects").as_uri())
    await store.put("recordings/of/somebody/parts/000000000.flac", b"fLaC")
    assert (tmp_path / "objects/recordings/of/somebody/parts/000000000.flac").read_bytes() == (
        b"fLaC"
    )


async def test_a_store_that_cannot_be_opened_is_tried_again(tmp_path: Path) -> None:
    (tmp_path / "objects").write_text("a file stands where the folder should be")
    store = ObjectPartStore((tmp_path / "objects").as_uri())
    with pytest.raises(PartNotStored):
        await store.put("part.flac", b"fLaC")
    (tmp_path / "objects").unlink()
    await store.put("part.flac", b"fLaC")
    assert (tmp_path / "objects/part.flac").read_bytes() == b"fLaC"


@pytest.mark.parametrize("url", ["nothing", "ftp://somewhere/else", "s3://"])
async def test_an_address_of_no_store_is_no_crash(url: str) -> None:
    with pytest.raises(PartNotStored):
        await ObjectPartStore(url).put("part.flac", b"fLaC")
