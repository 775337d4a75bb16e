"""Errors of the operator's edits of the catalogue."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import NotFound, Problem


class CatalogueEntryNotFound(NotFound):
    code = "catalogue_entry_not_found"
    title = "The catalogue has no such entry"


class PriceExists(Problem):
    status = HTTPStatus.CONFLICT
    code = "price_exists"
    title = "A price with this time exists, and prices cannot be changed"
