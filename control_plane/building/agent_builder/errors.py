"""Errors of the agent builder's routes."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import Problem


class GenerationNotConfigured(Problem):
    """The request needs a language model, and none is set up or it does not answer."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "generation_not_configured"
    title = "This request needs a language model, and none is available"
