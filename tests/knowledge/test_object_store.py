from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import obstore
import pytest
from obstore.exceptions import BaseError
from obstore.store import GCSStore

from control_plane.building.knowledge_sources.bundle_store import open_store as bundles_store
from control_plane.calling.recordings.object_store import open_store as recordings_store
from knowledge.object_store import open_prompt_store
from runtime.recording.part_store import ObjectPartStore
from tests.stand_ins.silent_bucket import URL, silent_bucket

ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\nETag: x\r\n"
    b"Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\n\r\n"
)
LONGEST_SECONDS = 20
"""obstore tries again for minutes."""


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    with silent_bucket(monkeypatch) as listening:
        yield listening


def answer(listening: socket.socket, *parts: bytes) -> Iterator[None]:
    """Send a part each time that this is advanced."""
    connection, _ = listening.accept()
    with connection:
        connection.recv(10_000)
        for part in parts:
            connection.sendall(part)
            yield


def test_a_silent_store_is_given_up_soon_and_asked_once(bucket: socket.socket) -> None:
    store, begun = open_prompt_store(URL, 0.2), time.monotonic()
    with pytest.raises(BaseError, match="error sending request"):
        obstore.get(store, "bundle")
    with pytest.raises(BaseError, match="error sending request"):
        obstore.delete(store, "bundle")
    assert time.monotonic() - begun < LONGEST_SECONDS


def test_a_store_that_falls_silent_within_a_bundle_is_given_up_soon(bucket: socket.socket) -> None:
    begun, answers = time.monotonic(), answer(bucket, ANSWER + b"some", b"more")
    sending = Thread(target=next, args=(answers,))
    sending.start()
    with pytest.raises(BaseError, match="response body"):
        for _ in obstore.get(open_prompt_store(URL, 0.5), "bundle").stream():
            pass
    assert time.monotonic() - begun < LONGEST_SECONDS
    sending.join()


@pytest.mark.parametrize(
    "opened",
    [
        lambda url: open_prompt_store(url, 1.0),
        recordings_store,
        bundles_store,
        lambda url: ObjectPartStore(url)._opened(),
    ],
    ids=["lookups", "recordings", "bundles", "parts"],
)
def test_another_address_of_googles_language_models_is_none_of_its_storage(
    opened: Callable[[str], GCSStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_BASE_URL", "http://127.0.0.1:1/models")
    assert opened("gs://bucket/folder").config["base_url"] == "https://storage.googleapis.com"


def test_a_folder_is_created(tmp_path: Path) -> None:
    store = open_prompt_store((tmp_path / "objects").as_uri(), 1.0)
    obstore.put(store, "bundle", b"passages")
    assert (tmp_path / "objects" / "bundle").read_bytes() == b"passages"


@pytest.mark.parametrize("url", ["gs://bucket/here", "az://container/here"])
def test_other_vendors_buckets_are_opened_too(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "AZURE_STORAGE_ACCOUNT_NAME": "account",
        "AZURE_STORAGE_ACCOUNT_KEY": "a2V5",
        "AZURE_ALLOW_HTTP": "true",
        "GOOGLE_ALLOW_HTTP": "true",
    }.items():
        monkeypatch.setenv(name, value)
    assert open_prompt_store(url, 1.0) is not None
