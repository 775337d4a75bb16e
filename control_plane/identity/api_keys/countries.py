"""Countries of phone numbers. Pure."""

from __future__ import annotations

from typing import Annotated

import phonenumbers
from pydantic import AfterValidator, WithJsonSchema


def country_code(text: str) -> str:
    """
    Raises:
        ValueError: ``text`` is not the code of a country with phone numbers of its own.
    """
    code = text.strip().upper()
    if code not in phonenumbers.SUPPORTED_REGIONS:
        raise ValueError("must be the two-letter code of a country, such as DE or US")
    return code


CountryCode = Annotated[
    str,
    AfterValidator(country_code),
    WithJsonSchema({"type": "string", "minLength": 2, "maxLength": 2}),
]


def country_of(number: str) -> str | None:
    """The country of a number in E.164; ``None`` for a number of no country, such as a satellite
    phone's."""
    code = phonenumbers.region_code_for_number(phonenumbers.parse(number))
    return code if code in phonenumbers.SUPPORTED_REGIONS else None
