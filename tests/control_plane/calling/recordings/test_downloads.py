"""``/v1/recordings/{recording_id}/{file}``: signed addresses, ranges, and what refuses them."""

from __future__ import annotations

import io
import wave
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit
from uuid import uuid4

import httpx2
import pytest

from control_plane.calling.recordings.file_token import FileAccess, encode_file_access
from tests.control_plane.calling.recordings.recorded_call import RecordedCall


class Download:
    """The WAV file of a completed recording, asked for without a key."""

    def __init__(self, call: RecordedCall, signed_url: str) -> None:
        self.call = call
        self.url = signed_url

    async def get(self, url: str | None = None, **headers: str) -> httpx2.Response:
        return await self.call.tenant.http.get(url or self.url, headers=headers)

    async def head(self, **headers: str) -> httpx2.Response:
        return await self.call.tenant.http.head(self.url, headers=headers)


@pytest.fixture
async def download(call: RecordedCall) -> Download:
    return Download(call, (await call.completed())["metadata"]["stereo_mix"]["signed_url"])


async def test_the_whole_file_comes_without_a_key(download: Download) -> None:
    answer = await download.get()
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "audio/wav"
    assert answer.headers["accept-ranges"] == "bytes"
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert f'filename="{download.call.call_id}.wav"' in answer.headers["content-disposition"]
    with wave.open(io.BytesIO(answer.content)) as file:
        assert (file.getnchannels(), file.getframerate(), file.getnframes()) == (2, 24_000, 24_000)


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ("bytes=0-0", 0, 0),
        ("bytes=100-199", 100, 199),
        ("bytes=100-", 100, None),
        ("bytes=-50", -50, None),
        ("bytes=44-99999999", 44, None),
    ],
)
async def test_a_range_is_206(download: Download, asked: str, first: int, last: int | None) -> None:
    whole = (await download.get()).content
    answer = await download.get(Range=asked)
    assert answer.status_code == 206
    assert answer.content == whole[first : None if last is None else last + 1]
    start = first if first >= 0 else len(whole) + first
    end = start + len(answer.content) - 1
    assert answer.headers["content-range"] == f"bytes {start}-{end}/{len(whole)}"
    assert int(answer.headers["content-length"]) == len(answer.content)


@pytest.mark.parametrize("asked", ["bytes=99999999-", "bytes=-0", "bytes=96044-"])
async def test_a_range_behind_the_end_is_416(download: Download, asked: str) -> None:
    answer = await download.get(Range=asked)
    assert (answer.status_code, answer.json()["code"]) == (416, "range_not_satisfiable")
    assert answer.headers["content-range"] == "bytes */96044"


@pytest.mark.parametrize(
    "asked", ["bytes", "bytes=", "bytes=-", "lines=1-2", "bytes=5-2", "bytes=0-1,5-6", "bytes=a-b"]
)
async def test_what_is_no_single_range_of_bytes_is_ignored(download: Download, asked: str) -> None:
    answer = await download.get(Range=asked)
    assert (answer.status_code, len(answer.content)) == (200, 96_044)


async def test_head_tells_the_same_without_the_file(download: Download) -> None:
    whole, head = await download.get(), await download.head(Range="bytes=0-9")
    assert (head.status_code, head.content) == (200, b"")
    for name in ("content-length", "content-type", "etag", "last-modified", "accept-ranges"):
        assert head.headers[name] == whole.headers[name]


async def test_a_file_that_the_client_has_is_304(download: Download) -> None:
    etag = (await download.get()).headers["etag"]
    for known in (etag, f'"another", {etag}', f"W/{etag}", "*"):
        answer = await download.get(**{"If-None-Match": known})
        assert (answer.status_code, answer.content) == (304, b"")
    assert (await download.get(**{"If-None-Match": '"another"'})).status_code == 200


async def test_a_range_of_another_file_than_the_one_begun_is_the_whole(
    download: Download,
) -> None:
    etag = (await download.get()).headers["etag"]
    same = await download.get(**{"Range": "bytes=0-9", "If-Range": etag})
    other = await download.get(**{"Range": "bytes=0-9", "If-Range": '"another"'})
    assert (same.status_code, len(same.content)) == (206, 10)
    assert (other.status_code, len(other.content)) == (200, 96_044)


async def test_an_address_that_was_changed_is_403(download: Download) -> None:
    parts = urlsplit(download.url)
    changed = [
        parts._replace(query=""),
        parts._replace(query="token="),
        parts._replace(query=parts.query[:-4] + "AAAA"),
        parts._replace(path=parts.path.replace("stereo_mix.wav", "stereo_mix.ogg")),
        parts._replace(path=parts.path.replace(str(download.call.recording_id), str(uuid4()))),
    ]
    for address in changed:
        answer = await download.get(address.geturl())
        assert (answer.status_code, answer.json()["code"]) == (403, "recording_address_invalid")


async def test_an_address_that_has_expired_is_403_and_says_so(download: Download) -> None:
    call = download.call
    access = FileAccess(call.plan.tenant_id, call.call_id, call.recording_id, "stereo_mix.wav")
    a_second_ago = datetime.now(UTC) - timedelta(seconds=1)
    token = encode_file_access(access, call.settings.secret_key, a_second_ago)
    answer = await download.get(f"{download.url.partition('?')[0]}?token={token}")
    assert answer.status_code == 403
    assert "expired" in answer.json()["detail"]


async def test_a_token_of_another_kind_is_403(download: Download) -> None:
    call = await download.call.tenant.post(
        "/v1/calls",
        {
            "agent_id": str(download.call.plan.agent_id),
            "participants": [{"transport": "webrtc", "identity": "eve"}],
        },
    )
    token = call.json()["participants"][0]["access"]["token"]
    answer = await download.get(f"{download.url.partition('?')[0]}?token={token}")
    assert (answer.status_code, answer.json()["code"]) == (403, "recording_address_invalid")


async def test_a_file_of_no_recording_is_400(download: Download) -> None:
    answer = await download.get(download.url.replace("stereo_mix.wav", "passwords.txt"))
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "file"


async def test_a_file_that_is_gone_is_404(download: Download) -> None:
    for file in download.call.objects.glob("**/stereo_mix.wav"):
        file.unlink()
    answer = await download.get()
    assert (answer.status_code, answer.json()["code"]) == (404, "recording_file_not_found")


async def test_a_store_that_is_away_is_503(download: Download) -> None:
    download.call.lose_store()
    answer = await download.get()
    assert (answer.status_code, answer.json()["code"]) == (503, "object_store_unavailable")
    assert int(answer.headers["retry-after"]) > 0
