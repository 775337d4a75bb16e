"""What of an invoice can be read on paper."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from uuid import uuid4

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from pypdf import PdfReader

from control_plane.money.invoices.fonts import letters_of
from control_plane.money.invoices.models import Invoice, InvoiceItem
from control_plane.money.invoices.pdf import invoice_pdf
from control_plane.money.invoices.printable import printable

NOTE = "cannot be printed here"


def printed(name: str, font: Path | None = None) -> str:
    return text_of(document_for(name, font))


def text_of(document: bytes) -> str:
    """What a PDF reader finds in the document."""
    pages = PdfReader(BytesIO(document)).pages
    return "\n".join(page.extract_text() for page in pages)


def document_for(name: str, font: Path | None = None) -> bytes:
    item = InvoiceItem(id=uuid4(), description="Top-up", amount_minor=1000)
    return invoice_pdf(invoice_to(name), [item], seller=None, font=font)


def invoice_to(name: str) -> Invoice:
    now = datetime(2026, 1, 5, tzinfo=UTC)
    return Invoice(
        invoice_number="INV-2026-00000001",
        kind="topup",
        currency="USD",
        subtotal_minor=1000,
        tax_minor=190,
        total_minor=1190,
        taxes=[{"kind": "VAT", "percent": 19.0, "amount_minor": 190, "is_reverse_charged": False}],
        billed_to={"name": name, "country": "DE", "tax_id": None},
        issued_at=now,
        paid_at=now,
    )


@pytest.fixture
def font(tmp_path: Path) -> Path:
    """Has the printable letters of ASCII and one of Cyrillic."""
    names = {code: f"glyph{code}" for code in [*range(32, 127), ord("Ж")]}
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    pen.lineTo((0, 500))
    pen.lineTo((500, 500))
    pen.closePath()
    drawn = pen.glyph()
    order = [".notdef", *names.values()]
    built = FontBuilder(1000, isTTF=True)
    built.setupGlyphOrder(order)
    built.setupCharacterMap(names)
    built.setupGlyf(dict.fromkeys(order, drawn))
    built.setupHorizontalMetrics(dict.fromkeys(order, (600, 0)))
    built.setupHorizontalHeader(ascent=800, descent=-200)
    built.setupNameTable({"familyName": "Test", "styleName": "Regular"})
    built.setupOS2()
    built.setupPost()
    path = tmp_path / "test.ttf"
    built.save(path)
    return path


def test_letters_of_western_europe_are_printed_without_a_font() -> None:
    document = document_for("Café Müller")
    assert b"/FontFile" not in document
    assert "To: Café Müller" in printed("Café Müller")


@pytest.mark.parametrize("space", ["\u2009", "\u202f", "\u2028", "\u3000"])
def test_a_space_of_any_width_is_printed_as_a_plain_one(space: str) -> None:
    document = document_for(f"Société «{space}Zoë{space}»")
    assert b"/FontFile" not in document
    assert "To: Société « Zoë »" in printed(f"Société «{space}Zoë{space}»")


@pytest.mark.parametrize(
    "name",
    [
        "Жук и сыновья",
        "Ελληνική Εταιρεία",
        "Łódź",
        "मीरा क्षत्रिय हिन्दी",
        "上海黄浦有限公司",
        "株式会社ひらカタ",
        "한국어",
        "ไทย",
        "שלום",
        "Zoë ₹ €",
        "Müller Жук 山田",
    ],
)
def test_names_of_many_alphabets_are_printed_and_can_be_found(name: str) -> None:
    text = printed(name)
    # Readers take the places to which Hindi letters are moved for gaps between words.
    assert "".join(f"To: {name}".split()) in "".join(text.split()), text
    assert "USD 11.90" in text
    assert NOTE not in text
    assert "?" not in text


def test_a_period_is_printed_with_its_last_day_and_a_discount_is_taken_off() -> None:
    invoice = invoice_to("A company")
    invoice.period_start = datetime(2028, 2, 1, tzinfo=UTC)
    invoice.period_end = datetime(2028, 3, 1, tzinfo=UTC)
    invoice.taxes = []
    invoice.tax_minor, invoice.discount_minor, invoice.total_minor = 0, 1000, 0
    text = text_of(invoice_pdf(invoice, [], seller=None, font=None))
    assert "Period: 2028-02-01 to 2028-02-29" in text
    assert "Subtotal USD 10.00\nDiscount USD -10.00\nTotal USD 0.00" in text


def test_an_invoice_without_a_period_or_a_discount_shows_neither() -> None:
    text = printed("A company")
    assert "Period" not in text
    assert "Discount" not in text


def test_letters_that_no_font_has_are_told() -> None:
    text = printed("தமிழ்")
    assert "To: ?????" in text
    assert NOTE in text


def test_only_the_letters_that_are_shown_are_in_the_document() -> None:
    assert len(document_for("山田 मीरा")) < 100_000


def test_a_font_of_the_operator_comes_first_and_others_have_what_it_lacks(font: Path) -> None:
    letters = letters_of(font)
    assert printable("Жук 山–\n", letters) == "Ж?? ?-\n"
    assert printable("Ж a", letters) == "Ж a"
    text = printed("Жук 山田", font)
    assert "To: Жук 山田" in text
    assert NOTE not in text
