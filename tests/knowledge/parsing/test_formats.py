from __future__ import annotations

import pytest

from knowledge.parsing.formats import Format, WrongFormat, format_of


@pytest.mark.parametrize(
    ("head", "name", "kind"),
    [
        (b"%PDF-1.7", "a.pdf", Format.PDF),
        (b"PK\x03\x04", "a.docx", Format.DOCX),
        (b"%PDF-1.7", "without an ending", Format.PDF),
        (b"hello", "a.TXT", Format.TXT),
        (b"\xff\xfeh\x00", "a.txt", Format.TXT),
        (b"<p>", "a.htm", Format.HTML),
        (b"{}", "a.json", Format.JSON),
    ],
)
def test_content_decides_what_a_file_is(head: bytes, name: str, kind: Format) -> None:
    assert format_of(head, name) is kind


@pytest.mark.parametrize(
    ("head", "name", "reason"),
    [
        (b"hello", "a.pdf", "is named .pdf but its content is not PDF"),
        (b"%PDF-1.7", "a.txt", "is named .txt but its content is PDF"),
        (b"\x7fELF\0", "a.txt", "not a document"),
        (b"hello", "a.exe", "unknown ending"),
    ],
)
def test_a_name_that_contradicts_the_content_is_refused(
    head: bytes, name: str, reason: str
) -> None:
    with pytest.raises(WrongFormat, match=reason):
        format_of(head, name)
