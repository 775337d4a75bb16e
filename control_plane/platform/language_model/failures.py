"""Why a language model gave no usable answer. Pure.

The messages are written for tenants. They never contain the provider's own text, because that may
quote the key.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from http import HTTPStatus


class FailureReason(StrEnum):
    PROVIDER_UNAVAILABLE = "provider_unavailable"
    """No answer, or an answer that asks to try again later."""
    QUOTA_EXCEEDED = "quota_exceeded"
    PROVIDER_REFUSED = "provider_refused"
    """The provider does not accept the key or the model."""
    REQUEST_REFUSED = "request_refused"
    """The provider does not accept this request, or the model declines to answer it."""
    ANSWER_UNUSABLE = "answer_unusable"
    """Two answers in a row did not have the shape that was asked for."""


class ModelFailed(Exception):
    """There is no usable answer. The message says why and contains no secrets."""

    def __init__(self, reason: FailureReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


_TRY_LATER = frozenset(
    {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_EARLY, HTTPStatus.LOCKED}
)
_REFUSES_EVERY_REQUEST = frozenset(
    {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND}
)
_EXPLANATIONS: Mapping[int, str] = {
    HTTPStatus.UNAUTHORIZED: "does not accept the key",
    HTTPStatus.FORBIDDEN: "does not allow the key to use the model",
    HTTPStatus.NOT_FOUND: "does not know the model",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "says that the request is too long",
}


def refused_with_status(
    provider: str, model: str, status: int, *, is_quota_used_up: bool
) -> ModelFailed:
    """The failure that an HTTP status other than 200 stands for.

    Args:
        is_quota_used_up: the answer says so, and does not only ask to slow down.
    """
    if is_quota_used_up or status == HTTPStatus.PAYMENT_REQUIRED:
        return ModelFailed(
            FailureReason.QUOTA_EXCEEDED, f"The quota of the {provider} key is used up ({status})"
        )
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return unavailable(provider, f"asks to slow down ({status})")
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in _TRY_LATER:
        return unavailable(provider, f"answered {status}")
    reason = (
        FailureReason.PROVIDER_REFUSED
        if status in _REFUSES_EVERY_REQUEST
        else FailureReason.REQUEST_REFUSED
    )
    explanation = _EXPLANATIONS.get(status, "does not accept the request")
    return ModelFailed(reason, f"{provider} {explanation} ({status}; model {model})")


def unavailable(provider: str, what: str) -> ModelFailed:
    return ModelFailed(FailureReason.PROVIDER_UNAVAILABLE, f"{provider} {what}")


def declined(provider: str) -> ModelFailed:
    return ModelFailed(FailureReason.REQUEST_REFUSED, f"{provider}'s model declined to answer")
