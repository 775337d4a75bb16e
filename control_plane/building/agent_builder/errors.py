"""What can go wrong when agents are described in words."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import Problem


class GenerationNotConfigured(Problem):
    """Nothing sensible can be done without a language model, and there is none."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "generation_not_configured"
    title = "This needs a language model, and this installation has none that answers"
