"""Downloads a recording's file from its signed address, which may be on another host."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Literal

import httpx2

from switchboard_client.errors import RecordingNotReady
from switchboard_client.models import CallRecording
from switchboard_client.transport import reply_of, unreachable

AudioFormat = Literal["wav", "ogg"]
_CHUNK_BYTES = 256 * 1024
_TIMEOUT = httpx2.Timeout(15.0, read=60.0)


def address_of(found: CallRecording, audio_format: AudioFormat) -> str:
    """
    Raises:
        RecordingNotReady: there are no files yet, or making them has failed.
    """
    files = found.recording.metadata
    file = files.stereo_mix if audio_format == "wav" else files.stereo_mix_ogg
    if file is None:
        raise RecordingNotReady(found.recording.status, files.detail)
    return file.signed_url


def save(url: str, path: Path) -> None:
    """Download ``url`` to ``path``. An existing file is replaced only when all of it is there.

    No key is sent, because the signed address is permission enough.
    """
    try:
        with httpx2.Client(timeout=_TIMEOUT) as http, http.stream("GET", url) as answer:
            if not answer.is_success:
                answer.read()
                raise reply_of(answer).error()
            with _staged(path) as file:
                for chunk in answer.iter_bytes(_CHUNK_BYTES):
                    file.write(chunk)
    except httpx2.RequestError as error:
        raise unreachable(_host(url), error) from error


async def save_async(url: str, path: Path) -> None:
    """As ``save``; writes to the disk in a thread, beside the event loop."""
    try:
        async with httpx2.AsyncClient(timeout=_TIMEOUT) as http, http.stream("GET", url) as answer:
            if not answer.is_success:
                await answer.aread()
                raise reply_of(answer).error()
            with _staged(path) as file:
                async for chunk in answer.aiter_bytes(_CHUNK_BYTES):
                    await asyncio.to_thread(file.write, chunk)
    except httpx2.RequestError as error:
        raise unreachable(_host(url), error) from error


@contextmanager
def _staged(path: Path) -> Iterator[BinaryIO]:
    staged = path.with_name(f"{path.name}.part")
    try:
        with staged.open("wb") as file:
            yield file
        staged.replace(path)
    finally:
        staged.unlink(missing_ok=True)


def _host(url: str) -> str:
    """Without the signature, which must not appear in an error's text."""
    return url.partition("?")[0]
