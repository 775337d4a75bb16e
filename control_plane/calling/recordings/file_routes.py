"""``/v1/recordings``: files of recordings at signed addresses, for stores that cannot sign URLs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from email.utils import format_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import StreamingResponse

from contracts.recording import RecordingFile
from control_plane.calling.recordings.byte_range import ByteRange, matches_etag, requested_range
from control_plane.calling.recordings.errors import (
    ObjectStoreUnavailable,
    RangeNotSatisfiable,
    RecordingAddressInvalid,
    RecordingFileNotFound,
)
from control_plane.calling.recordings.file_token import (
    FileAccess,
    InvalidFileToken,
    decode_file_access,
)
from control_plane.calling.recordings.object_store import open_store, store_errors
from control_plane.calling.recordings.views import CONTENT_TYPES
from control_plane.platform.http.dependencies import AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.settings import ControlPlaneSettings

if TYPE_CHECKING:
    from obstore import ObjectMeta
    from obstore.store import ObjectStore

_CHUNK_BYTES = 256 * 1024
_AUDIO: dict[str, Any] = {
    content_type: {"schema": {"type": "string", "format": "binary"}}
    for content_type in CONTENT_TYPES.values()
}
_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"description": "The whole file.", "content": _AUDIO},
    206: {"description": "The bytes that `Range` asks for.", "content": _AUDIO},
    304: {"description": "The file has not changed: its tag is in `If-None-Match`."},
    **problems(
        RecordingAddressInvalid, RecordingFileNotFound, RangeNotSatisfiable, ObjectStoreUnavailable
    ),
}

router = APIRouter(prefix="/v1/recordings", tags=["recordings"])


@router.head("/{recording_id}/{file}", response_class=Response, responses=_RESPONSES)
@router.get("/{recording_id}/{file}", response_class=Response, responses=_RESPONSES)
async def download_recording(
    request: Request,
    recording_id: UUID,
    file: RecordingFile,
    settings: AppSettings,
    token: Annotated[str, Query(description="The signature, which is part of the address.")] = "",
    range_: Annotated[str | None, Header(alias="Range")] = None,
    if_range: Annotated[str | None, Header()] = None,
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """Download a file of a recording, or a range of it. The signed address is part of the call's
    recording and expires; it needs no key."""
    access = _granted(recording_id, file, token, settings)
    store, meta = await _found(access, settings)
    etag = meta["e_tag"] or f'"{meta["size"]}-{meta["last_modified"].timestamp()}"'
    headers = {
        "Accept-Ranges": "bytes",
        "Cache-Control": "private",
        "Content-Disposition": f'inline; filename="{access.call_id}.{file.rpartition(".")[2]}"',
        "Content-Type": CONTENT_TYPES[file],
        "ETag": etag,
        "Last-Modified": format_datetime(meta["last_modified"], usegmt=True),
    }
    if if_none_match is not None and matches_etag(if_none_match, etag):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    size = meta["size"]
    # The client has the beginning of another version of the file, so a range would not help it.
    ranges_count = request.method == "GET" and if_range in (None, etag)
    wanted = requested_range(range_, size) if ranges_count else None
    sent = wanted or ByteRange(0, size)
    headers["Content-Length"] = str(sent.end - sent.start)
    if wanted is not None:
        headers["Content-Range"] = f"bytes {wanted.start}-{wanted.end - 1}/{size}"
    if request.method == "HEAD":
        return Response(headers=headers)
    return StreamingResponse(
        await _bytes_of(store, access.path, sent, meta["e_tag"]),
        status_code=HTTPStatus.OK if wanted is None else HTTPStatus.PARTIAL_CONTENT,
        headers=headers,
    )


def _granted(
    recording_id: UUID, file: RecordingFile, token: str, settings: ControlPlaneSettings
) -> FileAccess:
    try:
        access = decode_file_access(token, settings.secret_key)
    except InvalidFileToken as error:
        raise RecordingAddressInvalid(str(error)) from error
    if (access.recording_id, access.file) != (recording_id, file):
        raise RecordingAddressInvalid("This address was signed for another file.")
    return access


async def _found(
    access: FileAccess, settings: ControlPlaneSettings
) -> tuple[ObjectStore, ObjectMeta]:
    import obstore

    try:
        async with asyncio.timeout(settings.request_deadline_seconds):
            store = await asyncio.to_thread(open_store, settings.object_store_url)
            return store, await asyncio.to_thread(obstore.head, store, access.path)
    except FileNotFoundError as error:
        raise RecordingFileNotFound from error
    except store_errors() as error:
        raise ObjectStoreUnavailable from error


async def _bytes_of(
    store: ObjectStore, path: str, wanted: ByteRange, etag: str | None
) -> Iterator[bytes]:
    """The bytes, in chunks. The file is opened before the response starts, so that its status can
    still report a failure."""
    import obstore

    options: Any = {"range": (wanted.start, wanted.end)} if wanted.end > wanted.start else {}
    if etag is not None:
        options["if_match"] = etag
    try:
        found = await asyncio.to_thread(obstore.get, store, path, options=options)
    except store_errors() as error:
        raise ObjectStoreUnavailable from error
    return (bytes(chunk) for chunk in found.stream(min_chunk_size=_CHUNK_BYTES))
