"""Documents of every kind, and hostile ones: each is read, or refused with a reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from knowledge.chunking import MOST_CHARACTERS
from knowledge.parsing.formats import Format
from knowledge.parsing.problems import Unreadable
from knowledge.parsing.sandbox import read_document
from tests.knowledge.documents import docx_of, pdf_of

FACT = "The password of the guest network is bluebird."


async def read(tmp_path: Path, content: bytes, kind: Format, **limits: float) -> str:
    file = tmp_path / "document"
    file.write_bytes(content)
    passages = await read_document(file, kind, "Guide", **limits)
    return "\n".join(passage.searched for passage in passages)


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        (Format.TXT, FACT.encode()),
        (Format.TXT, FACT.encode("utf-16")),
        (Format.MD, f"# Network\n\n{FACT}".encode()),
        (Format.PDF, pdf_of("First page.", FACT)),
        (Format.DOCX, docx_of("A paragraph.", FACT)),
        (Format.HTML, f"<nav>Menu</nav><h1>Network</h1><p>{FACT}".encode()),
        (Format.JSON, json.dumps({"network": [{"hint": FACT}]}).encode()),
    ],
    ids=["txt", "utf-16", "md", "pdf", "docx", "html", "json"],
)
async def test_every_kind_of_document_is_read(tmp_path: Path, kind: Format, content: bytes) -> None:
    text = await read(tmp_path, content, kind)
    assert FACT in text
    assert "Menu" not in text


@pytest.mark.parametrize(
    ("kind", "content", "reason"),
    [
        (Format.TXT, b"", "empty"),
        (Format.TXT, b"   \n", "no text"),
        (Format.TXT, b"caf\xe9 \xff", "UTF-8"),
        (Format.DOCX, docx_of(FACT, extra=b"\0" * 100_000_000), "unpacks to more than"),
        (Format.DOCX, b"PK\x03\x04 no archive", "damaged"),
        (Format.PDF, pdf_of(FACT, password="secret"), "password"),
        (Format.PDF, b"%PDF-1.7 and nothing else", "damaged"),
        (Format.PDF, pdf_of(""), "contains no text"),
        (Format.JSON, b"[" * 200_000 + b"]" * 200_000, "inside each other"),
        (Format.JSON, b'{"a": ', "not valid JSON"),
    ],
    ids=[
        "empty", "blank", "latin-1", "zip bomb", "no archive", "locked pdf", "broken pdf",
        "pdf without text", "nested json", "broken json",
    ],
)  # fmt: skip
async def test_what_cannot_be_read_says_why(
    tmp_path: Path, kind: Format, content: bytes, reason: str
) -> None:
    with pytest.raises(Unreadable, match=reason):
        await read(tmp_path, content, kind)


async def test_a_sentence_over_two_lines_of_a_pdf_is_one(tmp_path: Path) -> None:
    sentence = f"The house rules are long, and {'really ' * 20}nobody has read them all."
    assert sentence in await read(tmp_path, pdf_of(sentence), Format.PDF)


async def test_html_of_any_depth_is_read_in_linear_time(tmp_path: Path) -> None:
    assert FACT in await read(tmp_path, b"<div>" * 500_000 + FACT.encode(), Format.HTML)


@pytest.mark.parametrize("pages", [2_001, 10_000])
async def test_a_pdf_with_too_many_pages_is_refused(tmp_path: Path, pages: int) -> None:
    with pytest.raises(Unreadable, match=f"{pages:,} pages"):
        await read(tmp_path, pdf_of(*[""] * pages), Format.PDF)


async def test_the_scripts_of_a_pdf_are_not_read(tmp_path: Path) -> None:
    text = await read(
        tmp_path, pdf_of(FACT, script="app.alert('Call +1 900 555 0100');"), Format.PDF
    )
    assert FACT in text
    assert "900" not in text


async def test_a_document_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="too much time"):
        await read(tmp_path, b"word " * 1_000_000, Format.TXT, deadline_seconds=0.01)


async def test_one_long_line_is_cut_into_passages(tmp_path: Path) -> None:
    line = " ".join(f"word{number}" for number in range(20_000))
    text = await read(tmp_path, line.encode(), Format.TXT)
    assert "word19999" in text


async def test_a_line_of_nine_megabytes_is_refused(tmp_path: Path) -> None:
    line = " ".join(f"word{number}" for number in range(800_000))
    with pytest.raises(Unreadable, match="20,000 passages; split it"):
        await read(tmp_path, line.encode(), Format.TXT)


async def test_a_line_that_repeats_one_word_is_one_passage(tmp_path: Path) -> None:
    text = await read(tmp_path, b"word " * 1_800_000, Format.TXT)
    assert 0 < len(text) <= 2 * MOST_CHARACTERS
