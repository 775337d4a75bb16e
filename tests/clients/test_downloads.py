"""A recording's file arrives whole or not at all, and its host does not get the key."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from switchboard_client import ApiError, RecordingNotReady, ServerUnreachable
from tests.clients.stand_in import StandIn, answer, awaited, blocking

Client = Callable[[StandIn], Any]
pytestmark = pytest.mark.parametrize("client", [blocking, awaited], ids=["blocking", "awaited"])
AUDIO = bytes(range(256)) * 4_096


@dataclass
class Store:
    """Keeps one file. ``promised_bytes`` is what it says that the file has."""

    url: str = ""
    status: int = 200
    promised_bytes: int = len(AUDIO)
    authorizations: list[str | None] = field(default_factory=list)


@pytest.fixture
def store() -> Iterator[Store]:
    store = Store()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            store.authorizations.append(self.headers.get("Authorization"))
            self.send_response(store.status)
            self.send_header("Content-Length", str(store.promised_bytes))
            self.end_headers()
            self.wfile.write(AUDIO)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    store.url = f"http://127.0.0.1:{server.server_port}/call.wav?signature=s3cret"
    try:
        yield store
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def api(url: str | None, detail: str | None = None) -> StandIn:
    signed = {"expires_at": "2026-01-05T09:30:00Z", "content_type": "audio/wav", "size_bytes": 1}
    recording = {
        "id": str(uuid4()),
        "status": "completed" if url else "processing",
        "format": "wav",
        "provider_recording_id": None,
        "metadata": {
            "stereo_mix": signed | {"signed_url": url} if url else None,
            "stereo_mix_ogg": None,
            "channels": {"left": "caller", "right": "agent"},
            "sample_rate_hz": 24_000,
            "duration_ms": 1,
            "detail": detail,
        },
    }
    return StandIn([answer(200, {"call_id": str(uuid4()), "recording": recording})])


def test_the_file_is_saved(client: Client, store: Store, tmp_path: Path) -> None:
    client(api(store.url)).calls.save_recording(uuid4(), tmp_path / "call.wav")
    assert (tmp_path / "call.wav").read_bytes() == AUDIO
    assert list(tmp_path.iterdir()) == [tmp_path / "call.wav"]
    assert store.authorizations == [None]


def test_a_file_that_breaks_off_leaves_nothing(
    client: Client, store: Store, tmp_path: Path
) -> None:
    store.promised_bytes += 1
    with pytest.raises(ServerUnreachable) as failure:
        client(api(store.url)).calls.save_recording(uuid4(), tmp_path / "call.wav")
    assert list(tmp_path.iterdir()) == []
    assert "s3cret" not in str(failure.value)


def test_an_address_that_has_expired_is_refused(
    client: Client, store: Store, tmp_path: Path
) -> None:
    store.status = 403
    with pytest.raises(ApiError) as refused:
        client(api(store.url)).calls.save_recording(uuid4(), tmp_path / "call.wav")
    assert refused.value.status == 403
    assert list(tmp_path.iterdir()) == []


def test_a_recording_without_files_says_how_far_it_is(client: Client, tmp_path: Path) -> None:
    with pytest.raises(RecordingNotReady, match=r"processing\. Soon\.") as early:
        client(api(None, "Soon.")).calls.save_recording(uuid4(), tmp_path / "call.wav")
    assert early.value.status == "processing"
