"""Voices that cannot be heard."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import NotFound, Problem


class VoiceNotFound(NotFound):
    code = "voice_not_found"
    title = "The catalogue has no such voice"


class VoiceNotSampled(Problem):
    """The provider was asked and made no sample."""

    status = HTTPStatus.FAILED_DEPENDENCY
    code = "voice_not_sampled"
    title = "The provider did not speak the sample"


class VoiceNeedsKey(Problem):
    status = HTTPStatus.CONFLICT
    code = "voice_needs_key"
    title = "There is no key for the voice's provider"
