"""Problems of settling parked events."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import NotFound, Problem


class ParkedEventNotFound(NotFound):
    code = "parked_event_not_found"
    title = "There is no such parked event"


class ParkedEventResolved(Problem):
    status = HTTPStatus.CONFLICT
    code = "parked_event_resolved"
    title = "The event was already settled in the other way"


class ParkedEventNotApplicable(Problem):
    """It stays parked."""

    status = HTTPStatus.CONFLICT
    code = "parked_event_not_applicable"
    title = "The event cannot be applied"
