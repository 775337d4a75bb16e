"""Problems with invoices and taxes."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import NotFound, Problem


class InvoiceNotFound(NotFound):
    code = "invoice_not_found"
    title = "You have no such invoice"


class InvoiceNotVoidable(Problem):
    status = HTTPStatus.CONFLICT
    code = "invoice_not_voidable"
    title = "This invoice cannot be voided"


class TaxRateExists(Problem):
    status = HTTPStatus.CONFLICT
    code = "tax_rate_exists"
    title = "The country has a tax of this kind"


class TaxRateNotFound(NotFound):
    code = "tax_rate_not_found"
    title = "There is no such tax rate"
