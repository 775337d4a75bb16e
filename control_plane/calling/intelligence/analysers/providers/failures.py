"""What a provider's refusal means, in words that hold nothing of its own text: that may quote the
key. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from control_plane.calling.intelligence.analysers.findings import Obstacle
from control_plane.calling.intelligence.analysers.json_question import ModelFailed

_LATER = frozenset(
    {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_EARLY, HTTPStatus.LOCKED}
)
_FOR_EVERY_REQUEST = frozenset(
    {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND}
)
_REASONS: Mapping[int, str] = {
    HTTPStatus.UNAUTHORIZED: "does not accept the key",
    HTTPStatus.FORBIDDEN: "does not allow the key to use the model",
    HTTPStatus.NOT_FOUND: "does not know the model",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "finds the transcript too long",
}


def refused_with_status(
    provider: str, model: str, status: int, *, is_quota_used_up: bool
) -> ModelFailed:
    """What an HTTP status other than 200 comes to.

    Args:
        is_quota_used_up: whether the answer says so, rather than to slow down.
    """
    if is_quota_used_up or status == HTTPStatus.PAYMENT_REQUIRED:
        return ModelFailed(
            Obstacle.QUOTA_EXCEEDED, f"The quota of the {provider} key is used up ({status})"
        )
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return ModelFailed(
            Obstacle.PROVIDER_UNAVAILABLE, f"{provider} asks to slow down ({status})"
        )
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in _LATER:
        return unavailable(provider, f"answered {status}")
    obstacle = (
        Obstacle.PROVIDER_REFUSED if status in _FOR_EVERY_REQUEST else Obstacle.REQUEST_REFUSED
    )
    reason = _REASONS.get(status, "does not accept the request")
    return ModelFailed(obstacle, f"{provider} {reason} ({status}; model {model})")


def unavailable(provider: str, what: str) -> ModelFailed:
    return ModelFailed(Obstacle.PROVIDER_UNAVAILABLE, f"{provider} {what}")


def declined(provider: str) -> ModelFailed:
    return ModelFailed(Obstacle.REQUEST_REFUSED, f"{provider}'s model declined to answer")
