"""Which kind of document a file is, by its content. Pure."""

from __future__ import annotations

from enum import StrEnum
from pathlib import PurePath


class Format(StrEnum):
    TXT = "txt"
    MD = "md"
    PDF = "pdf"
    DOCX = "docx"
    HTML = "html"
    JSON = "json"


FORMATS = ", ".join(Format)
HEAD_BYTES = 4_096
"""As much of a file's beginning as ``format_of`` needs."""
_ENDINGS = {".markdown": Format.MD, ".htm": Format.HTML, ".text": Format.TXT}
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_PDF = b"%PDF-"
_ZIP = b"PK\x03\x04"


class WrongFormat(Exception):
    """The file is of no kind that can be read. The message is the end of a sentence."""


def format_of(head: bytes, filename: str) -> Format:
    """The kind of a file whose first bytes are ``head``. Its name decides only between kinds of
    text, and must not contradict the content.

    Raises:
        WrongFormat: it is no document of ours, or another one than its name says.
    """
    named = _named(filename)
    found = _by_content(head)
    if found is None:
        if b"\0" in head and not head.startswith(_UTF16):
            raise WrongFormat(f"is not a document that can be read; send one of {FORMATS}")
        if named in (Format.PDF, Format.DOCX):
            raise WrongFormat(f"is named .{named} but its content is not {named.upper()}")
        if named is None:
            raise WrongFormat(f"has a name with an unknown ending; send one of {FORMATS}")
        return named
    if named not in (None, found):
        raise WrongFormat(f"is named .{named} but its content is {found.upper()}")
    return found


def _by_content(head: bytes) -> Format | None:
    if _PDF in head[:1_024]:
        return Format.PDF
    return Format.DOCX if head.startswith(_ZIP) else None


def _named(filename: str) -> Format | None:
    ending = PurePath(filename).suffix.lower()
    if ending in _ENDINGS:
        return _ENDINGS[ending]
    try:
        return Format(ending.removeprefix("."))
    except ValueError:
        return None
