"""What every model of the API's documents is made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ConfigDict

_SECRET = frozenset({"key", "api_key", "token", "secret", "password"})


class WireModel(BaseModel):
    """Members that this version of the client does not know are kept: the API may be newer.

    Building the validators waits for the first use of each, so that importing them all is quick.
    """

    model_config = ConfigDict(extra="allow", defer_build=True, populate_by_name=True)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Secrets do not get into logs by way of a model that is printed."""
        for name, value in super().__repr_args__():
            yield name, "…" if name in _SECRET and value else value
