from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

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


class Bucket(BaseHTTPRequestHandler):
    """What S3 says to a PUT."""

    objects: dict[str, bytes]

    def do_PUT(self) -> None:
        length = int(self.headers["Content-Length"])
        self.objects[self.path] = self.rfile.read(length)
        self.send_response(200)
        self.send_header("ETag", '"of-the-part"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Bucket]]:
    """An S3 of our own without TLS, set as its users set it."""
    Bucket.objects = {}
    server = ThreadingHTTPServer(("127.0.0.1", 0), Bucket)
    thread = Thread(target=server.serve_forever)
    thread.start()
    for name, value in {
        "AWS_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": "nowhere-1",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
    }.items():
        monkeypatch.setenv(name, value)
    yield Bucket
    server.shutdown()
    thread.join()
    server.server_close()


async def test_a_bucket_is_reached_through_the_vendors_own_variables(bucket: type[Bucket]) -> None:
    store = ObjectPartStore("s3://recordings/calls")
    await store.put("part.flac", b"fLaC")
    store.close()
    assert bucket.objects == {"/recordings/calls/part.flac": b"fLaC"}


async def test_a_process_that_ends_just_after_a_part_ends_in_good_order(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys\n"
        "from runtime.recording.part_store import ObjectPartStore\n"
        "asyncio.run(ObjectPartStore(sys.argv[1]).put('part.flac', b'fLaC'))\n"
    )
    url = (tmp_path / "objects").as_uri()
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, url)
    assert await process.wait() == 0
