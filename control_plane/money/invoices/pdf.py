"""An invoice or a credit note on paper. Pure, but slow: run it in a thread."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from control_plane.money.invoices.minor_units import shown
from control_plane.money.invoices.models import Invoice, InvoiceItem
from control_plane.money.invoices.printable import LATIN_1, letters_of, printable

if TYPE_CHECKING:
    from fpdf import FPDF

_MARGIN_MM = 20
_LINE_MM = 6
_AMOUNT_MM = 45


def invoice_pdf(
    invoice: Invoice,
    items: Sequence[InvoiceItem],
    *,
    seller: str | None,
    font: Path | None,
    credited_number: str | None = None,
) -> bytes:
    """
    Args:
        seller: who it is from, with ``\\n`` between the lines.
        font: a TrueType font. Letters that it does not have, or without it those outside of
            Latin-1, become "?", and the last line says so.
        credited_number: the number of the invoice that a credit note takes back.
    """
    page = _Page(font)
    title = "Credit note" if invoice.kind == "credit_note" else "Invoice"
    page.heading(f"{title} {invoice.invoice_number}")
    if seller:
        page.text(seller.replace("\\n", "\n"))
    page.gap()
    page.text(_buyer(invoice))
    page.gap()
    page.text(f"Date: {invoice.issued_at:%Y-%m-%d}")
    if credited_number is not None:
        page.text(f"For invoice: {credited_number}")
    if invoice.paid_at is not None:
        page.text(f"Paid: {invoice.paid_at:%Y-%m-%d}")
    if invoice.voided_at is not None:
        page.text(f"Voided: {invoice.voided_at:%Y-%m-%d}")
    page.gap()
    for item in items:
        page.row(item.description, shown(item.amount_minor, invoice.currency))
    page.rule()
    page.row("Subtotal", shown(invoice.subtotal_minor, invoice.currency))
    for tax in invoice.taxes:
        percent = f"{tax['percent']:g} %"
        if tax["is_reverse_charged"]:
            page.row(f"{tax['kind']} {percent}, reverse charge: owed by the customer", "–")
        else:
            page.row(f"{tax['kind']} {percent}", shown(tax["amount_minor"], invoice.currency))
    if not invoice.taxes and invoice.tax_minor:
        page.row("Tax", shown(invoice.tax_minor, invoice.currency))
    page.row("Total", shown(invoice.total_minor, invoice.currency), bold=True)
    if page.lacks_letters:
        page.gap()
        page.text("? stands for letters that cannot be printed here; the online record has them.")
    return page.document


def _buyer(invoice: Invoice) -> str:
    to = invoice.billed_to
    lines = [f"To: {to['name']}"]
    if to.get("country"):
        lines.append(f"Country: {to['country']}")
    if to.get("tax_id"):
        lines.append(f"Tax number: {to['tax_id']}")
    return "\n".join(lines)


class _Page:
    def __init__(self, font: Path | None) -> None:
        from fpdf import FPDF

        self._pdf: FPDF = FPDF(format="A4")
        self._pdf.set_margin(_MARGIN_MM)
        self._pdf.add_page()
        self._family = "helvetica" if font is None else "own"
        self._letters = LATIN_1 if font is None else letters_of(font)
        self.lacks_letters = False
        if font is not None:
            self._pdf.add_font("own", "", str(font))
            self._pdf.add_font("own", "B", str(font))
        self._pdf.set_font(self._family, size=11)

    @property
    def document(self) -> bytes:
        return bytes(self._pdf.output())

    def heading(self, words: str) -> None:
        self._pdf.set_font(self._family, "B", 18)
        self._write(words, 10)
        self._pdf.set_font(self._family, "", 11)
        self.gap()

    def text(self, words: str) -> None:
        self._write(words, _LINE_MM)

    def row(self, words: str, amount: str, *, bold: bool = False) -> None:
        """``words`` on the left, on as many lines as they need, and ``amount`` on the right."""
        self._pdf.set_font(self._family, "B" if bold else "", 11)
        top = self._pdf.get_y()
        width = self._pdf.epw - _AMOUNT_MM
        self._pdf.multi_cell(width, _LINE_MM, self._known(words), align="L", new_y="NEXT")
        bottom = self._pdf.get_y()
        self._pdf.set_xy(_MARGIN_MM + width, top)
        self._pdf.cell(_AMOUNT_MM, _LINE_MM, self._known(amount), align="R")
        self._pdf.set_xy(_MARGIN_MM, bottom)
        self._pdf.set_font(self._family, "", 11)

    def rule(self) -> None:
        y = self._pdf.get_y() + 2
        self._pdf.line(_MARGIN_MM, y, self._pdf.w - _MARGIN_MM, y)
        self._pdf.set_y(y + 2)

    def gap(self) -> None:
        self._pdf.ln(_LINE_MM)

    def _write(self, words: str, height_mm: float) -> None:
        self._pdf.multi_cell(
            0, height_mm, self._known(words), align="L", new_x="LMARGIN", new_y="NEXT"
        )

    def _known(self, words: str) -> str:
        known = printable(words, self._letters)
        self.lacks_letters |= known.count("?") > words.count("?")
        return known
