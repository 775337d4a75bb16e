"""The settings that the API and the media workers must have alike."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

_CREDENTIALS = (
    "SWITCHBOARD_TURN_SECRET, or SWITCHBOARD_TURN_USERNAME and SWITCHBOARD_TURN_CREDENTIAL"
)


class IceSettings(BaseModel):
    model_config = ConfigDict(frozen=True)

    ice_servers: tuple[str, ...] = ()
    """Addresses of STUN and TURN servers, through which browsers and workers find each other."""
    turn_secret: str | None = Field(None, repr=False)
    """The secret that the TURN servers share with us (coturn's ``static-auth-secret``). Each call
    gets credentials of its own, which expire."""
    turn_username: str | None = None
    """With ``turn_credential``: a TURN user whose password every caller gets to see. Prefer
    ``turn_secret``."""
    turn_credential: str | None = Field(None, repr=False)

    @field_validator("ice_servers")
    @classmethod
    def _schemes_in_lower_case(cls, urls: tuple[str, ...]) -> tuple[str, ...]:
        # They count in any case (RFC 3986, section 3.1), but not all who read them know that.
        parts = (url.partition(":") for url in urls)
        return tuple(f"{scheme.lower()}{colon}{rest}" for scheme, colon, rest in parts)

    @field_validator("turn_username", "turn_credential")
    @classmethod
    def _fits_into_a_header(cls, value: str | None) -> str | None:
        # Browsers get both in the ``Link`` headers of an answer (WHIP).
        if value is not None and not (value.isascii() and value.isprintable()):
            raise ValueError(
                "SWITCHBOARD_TURN_USERNAME and SWITCHBOARD_TURN_CREDENTIAL must be printable ASCII"
            )
        return value

    @model_validator(mode="after")
    def _turn_servers_have_credentials(self) -> Self:
        if bool(self.turn_username) != bool(self.turn_credential):
            raise ValueError(
                "SWITCHBOARD_TURN_USERNAME and SWITCHBOARD_TURN_CREDENTIAL belong together"
            )
        if self.turn_secret and self.turn_username:
            raise ValueError(f"set either {_CREDENTIALS}")
        if self.turn_secret or self.turn_username:
            return self
        if relays := [url for url in self.ice_servers if is_relay(url)]:
            raise ValueError(f"{relays[0]} needs credentials: set {_CREDENTIALS}")
        return self


def is_relay(url: str) -> bool:
    """Whether ``url`` names a TURN server, which takes credentials, and not a STUN server."""
    return url.startswith(("turn:", "turns:"))
