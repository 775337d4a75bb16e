"""The files of a recording, made from parts in a folder that takes the object store's place."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import obstore
import pytest
from obstore.store import LocalStore

from contracts.recording import part_path
from control_plane.calling.recordings.assembly import assemble_files
from tests.control_plane.calling.recordings.recorded_call import flac

FOLDER = "recordings/one/"


def test_a_process_that_is_killed_while_it_stores_the_files_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    store = LocalStore(tmp_path / "stored", mkdir=True)
    obstore.put(store, part_path(FOLDER, 0), flac(50))
    put, seen = obstore.put, []

    def watched_put(store: LocalStore, path: str, file: Any) -> None:
        seen.append((path, list(scratch.iterdir())))
        put(store, path, file)

    monkeypatch.setattr(obstore, "put", watched_put)
    files = assemble_files(store, FOLDER, 1000)
    assert seen == [(FOLDER + "stereo_mix.wav", []), (FOLDER + "stereo_mix.ogg", [])]
    stored = [
        len(obstore.get(store, FOLDER + name).bytes())
        for name in ("stereo_mix.wav", "stereo_mix.ogg")
    ]
    assert stored == [files.wav_bytes, files.ogg_bytes]
