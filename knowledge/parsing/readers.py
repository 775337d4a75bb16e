"""One reader for each kind of document: bytes to Markdown. Run them in the child process."""

from __future__ import annotations

import codecs
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

from knowledge.parsing.formats import Format
from knowledge.parsing.html import markdown_of_html
from knowledge.parsing.problems import NO_TEXT, Unreadable

MOST_CHARACTERS = 10_000_000
"""Of a document's text."""
MOST_PAGES = 2_000
"""Of a PDF."""
MOST_UNPACKED_BYTES = 64 * 2**20
"""Of a DOCX, which is a ZIP archive."""

_WRAPPED = 50
"""Characters of a line that may have been broken because it was full."""
_VALUE = "• "
"""No mark of Markdown: items of a list are not kept together, and ``# of beds`` is no heading."""
_SENTENCE_ENDS = (".", "!", "?", ":", "।")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def markdown_of(content: bytes, kind: Format) -> str:
    """The document's text.

    Raises:
        Unreadable: it has none, or is damaged, locked or too large.
    """
    if not content:
        raise Unreadable("The document is empty.")
    text = _READERS[kind](content).replace("\0", "")
    if not text.strip():
        raise Unreadable(NO_TEXT)
    if len(text) > MOST_CHARACTERS:
        raise Unreadable(f"The document has more than {MOST_CHARACTERS:,} characters of text.")
    return text


def _text(content: bytes) -> str:
    encoding = next((name for bom, name in _BOMS if content.startswith(bom)), "utf-8")
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise Unreadable(
            f"The text cannot be read as {encoding.removesuffix('-sig').upper()}; "
            "save the document as UTF-8."
        ) from error


def _html(content: bytes) -> str:
    return markdown_of_html(_text(content))


def _pdf(content: bytes) -> str:
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("The PDF is protected with a password; save it without one.")
        pages = len(reader.pages)
        if pages > MOST_PAGES:
            raise Unreadable(f"The PDF has {pages:,} pages; at most {MOST_PAGES:,} can be read.")
        texts = [page.extract_text() for page in reader.pages]
    except PyPdfError as error:
        raise Unreadable("The PDF is damaged and cannot be read.") from error
    if not any(map(str.strip, texts)):
        raise Unreadable(
            "The PDF contains no text. If its pages are pictures, make their text searchable first."
        )
    return "\n\n".join(map(_unwrapped, texts))


def _unwrapped(text: str) -> str:
    """A page's text with the lines of a paragraph as one: PDFs have lines, not paragraphs."""
    lines: list[str] = []
    for line in map(str.strip, text.splitlines()):
        if lines and line and len(lines[-1]) >= _WRAPPED and not lines[-1].endswith(_SENTENCE_ENDS):
            lines[-1] = f"{lines[-1]} {line}"
        else:
            lines.append(line)
    return "\n".join(lines)


def _docx(content: bytes) -> str:
    import mammoth

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError) as error:
        raise Unreadable("The file is damaged and cannot be unpacked.") from error
    if not any(part.filename == "word/document.xml" for part in parts):
        raise Unreadable("The file is a ZIP archive but not a Word document.")
    if sum(part.file_size for part in parts) > MOST_UNPACKED_BYTES:
        raise Unreadable(
            f"The Word document unpacks to more than {MOST_UNPACKED_BYTES // 2**20} megabytes."
        )
    # Pictures would become long lines of base64.
    no_picture = mammoth.images.img_element(lambda _: {})
    html = mammoth.convert_to_html(io.BytesIO(content), convert_image=no_picture).value
    return markdown_of_html(html)


def _json(content: bytes) -> str:
    try:
        value = json.loads(_text(content))
    except RecursionError as error:
        raise Unreadable("The JSON has too many arrays and objects inside each other.") from error
    except ValueError as error:
        raise Unreadable(f"The file is not valid JSON: {error}.") from error
    return "\n".join(_json_lines(value, ()))


def _json_lines(value: Any, path: tuple[str, ...], *, is_item: bool = False) -> Iterator[str]:
    """One line for each value, with the names that lead to it. Each object in an array that is in
    no other one is a paragraph, so that its values stay together."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _json_lines(inner, (*path, str(key)), is_item=is_item)
    elif isinstance(value, list):
        for inner in value:
            if is_item or not isinstance(inner, dict | list):
                yield from _json_lines(inner, path, is_item=is_item)
            else:
                yield ""
                yield from _json_lines(inner, path, is_item=True)
                yield ""
    elif value is not None:
        shown = value if isinstance(value, str) else json.dumps(value)
        yield f"{_VALUE}{' '.join(path)}: {shown}" if path else f"{_VALUE}{shown}"


_READERS: dict[Format, Callable[[bytes], str]] = {
    Format.TXT: _text,
    Format.MD: _text,
    Format.HTML: _html,
    Format.PDF: _pdf,
    Format.DOCX: _docx,
    Format.JSON: _json,
}
