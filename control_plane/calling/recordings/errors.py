"""What can go wrong with recordings."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import NotFound, Problem


class RecordingNotAvailable(NotFound):
    code = "recording_not_available"
    title = "This call was not recorded"


class RecordingFileNotFound(NotFound):
    code = "recording_file_not_found"
    title = "The file of the recording no longer exists"


class RecordingAddressInvalid(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "recording_address_invalid"
    title = "The address of the recording is not valid or has expired"


class RangeNotSatisfiable(Problem):
    status = HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE
    code = "range_not_satisfiable"
    title = "The requested range is outside the file"

    def __init__(self, size_bytes: int) -> None:
        super().__init__(
            f"The file has {size_bytes} bytes",
            headers={"Content-Range": f"bytes */{size_bytes}", "Accept-Ranges": "bytes"},
        )


class ObjectStoreUnavailable(Problem):
    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "object_store_unavailable"
    title = "The store of recordings cannot be reached"

    def __init__(self, detail: str | None = None) -> None:
        super().__init__(
            detail or "The store of recordings does not respond; try again shortly",
            headers={"Retry-After": "5"},
        )
