"""Problems with spend alerts."""

from __future__ import annotations

from control_plane.platform.errors import NotFound


class SpendAlertNotFound(NotFound):
    code = "spend_alert_not_found"
    title = "There is no such alert that is not acknowledged"
