"""Addresses of recordings in a bucket, also while the bucket's credentials are out of reach."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import monotonic
from uuid import uuid4

import obstore
import pytest

from contracts.sealing import derived_key
from control_plane.calling.recordings import store_signer
from control_plane.calling.recordings.models import Recording
from control_plane.calling.recordings.object_store import open_store
from control_plane.calling.recordings.store_signer import signer_of
from control_plane.calling.recordings.views import recording_view
from control_plane.platform.settings import ControlPlaneSettings

BUCKET = "s3://recordings/here"


@pytest.fixture
def settings() -> ControlPlaneSettings:
    return ControlPlaneSettings(
        database_url="postgresql+psycopg://nowhere/none",
        redis_url="redis://nowhere",
        public_url="http://switchboard.test",
        secret_key="a-secret-of-at-least-thirty-two-bytes",
        encryption_keys=(derived_key("of the tests"),),
        mail_outbox_dir=Path("nowhere"),
        knowledge_dir=Path("nowhere"),
        object_store_url=BUCKET,
    )


@pytest.fixture(autouse=True)
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Signs without asking anybody."""
    for name, value in {
        "AWS_REGION": "nowhere-1",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
    }.items():
        monkeypatch.setenv(name, value)
    _forget()
    yield
    _forget()


def _forget() -> None:
    open_store.cache_clear()
    signer_of.cache_clear()


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The machine has no credentials, and who gives them out refuses. What it was asked."""
    asked = []

    class Refusing(BaseHTTPRequestHandler):
        def _refuse(self) -> None:
            asked.append(self.path)
            self.send_response(403)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_PUT = _refuse

        def log_message(self, *_: object) -> None:
            return

    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    monkeypatch.setenv("AWS_METADATA_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield asked
    server.shutdown()
    thread.join()
    server.server_close()


async def _addresses(settings: ControlPlaneSettings) -> list[str]:
    """Of both files of a finished recording."""
    recording = Recording(
        id=uuid4(),
        tenant_id=uuid4(),
        call_id=uuid4(),
        status="completed",
        started_at=datetime.now(UTC),
        duration_ms=1000,
        wav_bytes=100,
        ogg_bytes=10,
    )
    shown = (await recording_view(recording, settings)).metadata
    assert shown.stereo_mix is not None
    assert shown.stereo_mix_ogg is not None
    return [shown.stereo_mix.signed_url, shown.stereo_mix_ogg.signed_url]


async def test_a_bucket_signs_its_own_addresses(settings: ControlPlaneSettings) -> None:
    for address in await _addresses(settings):
        assert "X-Amz-Signature=" in address


async def test_while_credentials_are_refused_the_api_signs(
    settings: ControlPlaneSettings, refused: list[str]
) -> None:
    for address in await _addresses(settings):
        assert address.startswith(settings.public_url + "/v1/recordings/")
    assert refused


async def test_a_store_that_hangs_holds_up_one_recording_and_not_the_next(
    settings: ControlPlaneSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, over = [], threading.Event()

    def hanging(*request: object) -> str:
        asked.append(request)
        over.wait()
        return ""

    monkeypatch.setattr(obstore, "sign", hanging)
    monkeypatch.setattr(store_signer, "SIGNING_SECONDS", 0.2)
    try:
        begun = monotonic()
        for _ in range(20):
            for address in await _addresses(settings):
                assert address.startswith(settings.public_url + "/v1/recordings/")
        assert monotonic() - begun < 2
        assert len(asked) == 1
    finally:
        over.set()


async def test_a_store_that_could_not_sign_is_asked_again_later(
    settings: ControlPlaneSettings, refused: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    await _addresses(settings)
    times = len(refused)
    await _addresses(settings)
    assert len(refused) == times
    monkeypatch.setattr(store_signer, "monotonic", lambda: monotonic() + store_signer.REST_SECONDS)
    await signer_of(BUCKET).address("file", timedelta(hours=1))
    assert len(refused) > times
