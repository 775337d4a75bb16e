"""Reading an uploaded file from a request."""

from __future__ import annotations

from pathlib import PurePath

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from control_plane.building.knowledge_sources.errors import KnowledgeTooLarge
from control_plane.building.knowledge_sources.schemas import MOST_FILE_BYTES
from control_plane.building.knowledge_sources.service import Upload, check_title
from control_plane.platform.errors import InvalidRequest, UnsupportedMediaType
from knowledge.parsing.formats import HEAD_BYTES, WrongFormat, format_of


async def upload_of(request: Request) -> Upload:
    """
    Raises:
        UnsupportedMediaType: the body is no multipart form.
        InvalidRequest: it has no file, a wrong one, or a wrong title.
        KnowledgeTooLarge: the file is too large.
    """
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise UnsupportedMediaType("Send the file as 'Content-Type: multipart/form-data'")
    try:
        form = await request.form(max_files=1, max_fields=4)
    except HTTPException as error:
        raise InvalidRequest.at("body", f"is not a form with one file: {error.detail}") from error
    try:
        file = form.get("file")
        if not isinstance(file, UploadFile) or not file.filename:
            raise InvalidRequest.at("file", "is needed: the file, with its name")
        if (file.size or 0) > MOST_FILE_BYTES:
            raise KnowledgeTooLarge(f"A file may have at most {MOST_FILE_BYTES:,} bytes")
        content = await file.read()
        filename = _printable(PurePath(file.filename.replace("\\", "/")).name)
        try:
            kind = format_of(content[:HEAD_BYTES], filename)
        except WrongFormat as error:
            raise InvalidRequest.at("file", str(error)) from error
        title = form.get("title")
        named = (_printable(title).strip() if isinstance(title, str) else "") or filename
        check_title(named)
        return Upload(filename, named, kind.value, content)
    finally:
        await form.close()


def _printable(text: str) -> str:
    shown = "".join(character for character in text if character.isprintable())
    return shown.encode("utf-8", "replace").decode()
