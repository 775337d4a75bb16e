"""Checks what owners say about testers. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from control_plane.calling.sharing.testers.errors import InvalidTesterInput
from control_plane.calling.sharing.testers.schemas import MAX_MINUTES, TesterChange, TesterInvite
from control_plane.platform.mail.addresses import normalized

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class CheckedInvite:
    email: str
    minutes_limit: int
    expires_at: datetime | None


def checked_invite(given: TesterInvite, now: datetime) -> CheckedInvite:
    """
    Raises:
        InvalidTesterInput: names every field that is wrong.
    """
    errors: list[dict[str, str]] = []
    email = _checked("email", _email, given.email, errors)
    minutes = _checked("minutes_limit", _minutes, given.minutes_limit, errors)
    expires_at = _checked("expires_at", lambda value: _expiry(value, now), given.expires_at, errors)
    if errors or email is None or minutes is None:
        raise InvalidTesterInput(errors=errors)
    return CheckedInvite(email, minutes, expires_at)


def checked_change(given: TesterChange, now: datetime) -> dict[str, Any]:
    """The fields that were sent, with their new values.

    Raises:
        InvalidTesterInput: a field is wrong, or none was sent.
    """
    errors: list[dict[str, str]] = []
    checks: dict[str, Callable[[Any], Any]] = {
        "minutes_limit": _minutes,
        "expires_at": lambda value: _expiry(value, now),
    }
    sent = {
        name: _checked(name, check, getattr(given, name), errors)
        for name, check in checks.items()
        if name in given.model_fields_set
    }
    if not sent:
        raise InvalidTesterInput.at("body", "send minutes_limit, expires_at or both")
    if errors:
        raise InvalidTesterInput(errors=errors)
    return sent


def _checked(
    field: str, check: Callable[[Any], _Value], value: Any, errors: list[dict[str, str]]
) -> _Value | None:
    try:
        return check(value)
    except ValueError as error:
        errors.append({"field": field, "message": str(error)})
        return None


def _email(value: Any) -> str:
    if value is None:
        raise ValueError("is required")
    if not isinstance(value, str):
        raise ValueError("must be a mail address such as mia@example.com")
    return normalized(value)


def _minutes(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_MINUTES:
        raise ValueError(f"must be a whole number from 0 to {MAX_MINUTES}")
    return value


def _expiry(value: Any, now: datetime) -> datetime | None:
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(value)
        time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        raise ValueError("must be a time such as 2027-01-31T12:00:00Z, or null") from None
    if time <= now:
        raise ValueError("must be in the future")
    return time
