"""Credentials of a carrier: from a request, and sealed at rest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import SecretStr, ValidationError

from carriers.account import AnyCredentials, read_credentials, revealed
from contracts.sealing import Sealer
from control_plane.platform.errors import InvalidRequest


def checked(provider: str, given: Mapping[str, Any]) -> AnyCredentials:
    """
    Raises:
        InvalidRequest: a field is missing, unknown or malformed. No value is repeated.
    """
    if "provider" in given:
        raise InvalidRequest.at("credentials.provider", "belongs beside credentials, not into them")
    try:
        return read_credentials({"provider": provider, **given})
    except ValidationError as error:
        raise InvalidRequest(
            errors=[
                {"field": _field(provider, each["loc"]), "message": _message(each)}
                for each in error.errors(include_url=False, include_input=False)
            ]
        ) from None


def _field(provider: str, loc: tuple[int | str, ...]) -> str:
    return ".".join(["credentials", *(str(part) for part in loc if part != provider)])


def _message(error: Mapping[str, Any]) -> str:
    match error["type"]:
        case "missing":
            return "is required"
        case "extra_forbidden":
            return "is not a credential of this carrier"
        case "string_pattern_mismatch":
            return f"must match {error['ctx']['pattern']}"
        case _:
            return str(error["msg"]).removeprefix("Value error, ")


def sealed(credentials: AnyCredentials, sealer: Sealer) -> str:
    return sealer.seal(json.dumps(revealed(credentials)))


def opened(text: str, sealer: Sealer) -> AnyCredentials:
    """
    Raises:
        CannotOpen: ``text`` was sealed with a key that we do not have.
    """
    return read_credentials(json.loads(sealer.open(text)))


def shown(credentials: AnyCredentials) -> dict[str, str]:
    """What may be shown of them: identifiers and public keys, and no secret."""
    return {
        name: str(value)
        for name, value in credentials
        if value is not None and name != "provider" and not isinstance(value, SecretStr)
    }
