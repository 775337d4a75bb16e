"""Errors of the routes for analyses."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import NotFound, Problem


class SummaryNotAvailable(NotFound):
    code = "summary_not_available"
    title = "The call has not been analysed yet"


class AnalysisUnderWay(Problem):
    status = HTTPStatus.CONFLICT
    code = "analysis_under_way"
    title = "The call is already being analysed"


class CallNotOver(Problem):
    status = HTTPStatus.CONFLICT
    code = "call_not_over"
    title = "The call has not ended yet; it is analysed when it ends"
