"""The socket's place: short enough, and ours alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pipelines.engine.model_process.socket_path import (
    LONGEST_PATH_BYTES,
    SocketRefused,
    check_length,
    models_socket,
    prepare_folder,
)


def test_the_socket_is_in_the_data_directory() -> None:
    assert models_socket(Path("/data")) == Path("/data/models/models.sock")


def test_a_long_data_directory_has_it_in_a_short_place_of_its_own() -> None:
    long, other = Path("/data") / ("a" * 100), Path("/data") / ("b" * 100)
    assert models_socket(long) == models_socket(long) != models_socket(other)
    assert len(os.fsencode(models_socket(long))) <= LONGEST_PATH_BYTES


def test_the_length_counts_in_bytes() -> None:
    check_length(Path("/" + "a" * (LONGEST_PATH_BYTES - 1)))
    with pytest.raises(SocketRefused, match="longer than 107 bytes"):
        check_length(Path("/" + "a" * LONGEST_PATH_BYTES))
    with pytest.raises(SocketRefused, match="longer than 107 bytes"):
        check_length(Path("/" + "ä" * (LONGEST_PATH_BYTES // 2 + 1)))


def test_its_folder_is_closed_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    socket_path = Path("new/models/models.sock")
    prepare_folder(socket_path)
    assert socket_path.parent.stat().st_mode & 0o777 == 0o700
    socket_path.parent.chmod(0o755)
    prepare_folder(socket_path)
    assert socket_path.parent.stat().st_mode & 0o777 == 0o700


def test_somebody_else_s_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("theirs").mkdir()
    Path("models").symlink_to("theirs")
    with pytest.raises(SocketRefused, match="not a folder of this user"):
        prepare_folder(Path("models/models.sock"))
