"""An invoice or a credit note on paper. Pure, but slow: run it in a thread."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from control_plane.money.invoices.fonts import STANDARD, Fonts, embedded
from control_plane.money.invoices.minor_units import shown
from control_plane.money.invoices.models import Invoice, InvoiceItem
from control_plane.money.invoices.printable import lacking, printable

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
    """Letters of Western Europe need no fonts in the document. Where there are others, the fonts of
    ``embedded`` are; letters that these lack become "?", and the last line says so.

    Args:
        seller: who it is from, with ``\\n`` between the lines.
        font: a TrueType font that comes before ours.
        credited_number: the number of the invoice that a credit note takes back.
    """
    page = _Page(STANDARD)
    _write(page, invoice, items, seller, credited_number)
    if font is None and not page.lacking:
        return page.document
    with embedded(font, page.lacking) as fonts:
        page = _Page(fonts)
        _write(page, invoice, items, seller, credited_number)
        if page.lacking:
            page.gap()
            page.text(
                "? stands for letters that cannot be printed here; the online record has them."
            )
        return page.document


def _write(
    page: _Page,
    invoice: Invoice,
    items: Sequence[InvoiceItem],
    seller: str | None,
    credited_number: str | None,
) -> None:
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
    if invoice.period_start is not None and invoice.period_end is not None:
        # People count the last day in.
        last = invoice.period_end - timedelta(microseconds=1)
        page.text(f"Period: {invoice.period_start:%Y-%m-%d} to {last:%Y-%m-%d}")
    if invoice.paid_at is not None:
        page.text(f"Paid: {invoice.paid_at:%Y-%m-%d}")
    if invoice.voided_at is not None:
        page.text(f"Voided: {invoice.voided_at:%Y-%m-%d}")
    page.gap()
    for item in items:
        page.row(item.description, shown(item.amount_minor, invoice.currency))
    page.rule()
    page.row("Subtotal", shown(invoice.subtotal_minor, invoice.currency))
    if invoice.discount_minor:
        page.row("Discount", shown(-invoice.discount_minor, invoice.currency))
    for tax in invoice.taxes:
        percent = f"{tax['percent']:g} %"
        if tax["is_reverse_charged"]:
            page.row(f"{tax['kind']} {percent}, reverse charge: owed by the customer", "–")
        else:
            page.row(f"{tax['kind']} {percent}", shown(tax["amount_minor"], invoice.currency))
    if not invoice.taxes and invoice.tax_minor:
        page.row("Tax", shown(invoice.tax_minor, invoice.currency))
    page.row("Total", shown(invoice.total_minor, invoice.currency), bold=True)


def _buyer(invoice: Invoice) -> str:
    to = invoice.billed_to
    lines = [f"To: {to['name']}"]
    if to.get("country"):
        lines.append(f"Country: {to['country']}")
    if to.get("tax_id"):
        lines.append(f"Tax number: {to['tax_id']}")
    return "\n".join(lines)


class _Page:
    def __init__(self, fonts: Fonts) -> None:
        from fpdf import FPDF

        self._pdf: FPDF = FPDF(format="A4")
        self._pdf.set_margin(_MARGIN_MM)
        self._pdf.add_page()
        self._letters = fonts.letters
        self.lacking: set[int] = set()
        """The code points that became "?"."""
        families = [f"family{number}" for number in range(len(fonts.typefaces))]
        for family, typeface in zip(families, fonts.typefaces, strict=True):
            self._pdf.add_font(family, "", typeface.regular)
            # Fallbacks without bold letters give regular ones.
            if family == families[0] or typeface.bold != typeface.regular:
                self._pdf.add_font(family, "B", typeface.bold)
        if families:
            self._pdf.set_fallback_fonts(families[1:], exact_match=False)
            # Puts letters in their places and shapes, as Hindi and Arabic need it.
            self._pdf.set_text_shaping(True)
        self._family = families[0] if families else "helvetica"
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
        self.lacking |= lacking(words, self._letters)
        return printable(words, self._letters)
