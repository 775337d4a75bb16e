"""What of an invoice can be read on paper."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

from control_plane.money.invoices.models import Invoice, InvoiceItem
from control_plane.money.invoices.pdf import invoice_pdf
from control_plane.money.invoices.printable import letters_of, printable
from tests.control_plane.money.invoices.test_invoices_api import text_of

NOTE = "cannot be printed here"


def printed(name: str, font: Path | None = None) -> str:
    now = datetime(2026, 1, 5, tzinfo=UTC)
    invoice = Invoice(
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
    item = InvoiceItem(id=uuid4(), description="Top-up", amount_minor=1000)
    document = invoice_pdf(invoice, [item], seller=None, font=font)
    return text_of(document)


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
    text = printed("Café Müller")
    assert "Café Müller" in text
    assert NOTE not in text


@pytest.mark.parametrize("name", ["Жук", "मीरा", "山田"])
def test_letters_that_cannot_be_printed_are_told(name: str) -> None:
    assert NOTE in printed(name)


def test_a_font_prints_its_letters_and_what_it_lacks_is_told(font: Path) -> None:
    letters = letters_of(font)
    assert printable("Жук 山–\n", letters) == "Ж?? ?-\n"
    assert printable("Ж a", letters) == "Ж a"
    assert len(printed("Ж", font)) > 0
