"""What can go wrong with accounts at carriers."""

from __future__ import annotations

from control_plane.platform.errors import NotFound


class CarrierAccountNotFound(NotFound):
    code = "carrier_account_not_found"
    title = "Carrier account not found"
