"""Documents for tests, made in memory."""

from __future__ import annotations

import io
import zipfile

from fpdf import FPDF
from pypdf import PdfWriter
from pypdf.actions import JavaScript

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def pdf_of(*pages: str, password: str | None = None, script: str | None = None) -> bytes:
    """
    Args:
        script: JavaScript that a viewer would run when it opens the document.
    """
    document = FPDF()
    document.set_font("Helvetica")
    for page in pages:
        document.add_page()
        document.multi_cell(0, text=page)
    if password:
        document.set_encryption(owner_password=password, user_password=password)
    if script is None:
        return bytes(document.output())
    writer, scripted = PdfWriter(io.BytesIO(document.output())), io.BytesIO()
    writer.add_open_action(JavaScript(script))
    writer.write(scripted)
    return scripted.getvalue()


def docx_of(*paragraphs: str, extra: bytes = b"") -> bytes:
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    document = f'<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>'
    relationships = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
        'relationships/officeDocument" Target="word/document.xml"/></Relationships>'
    )
    kinds = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/></Types>'
    )
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", kinds)
        archive.writestr("_rels/.rels", relationships)
        archive.writestr("word/document.xml", document)
        if extra:
            archive.writestr("word/media/extra.xml", extra)
    return made.getvalue()
