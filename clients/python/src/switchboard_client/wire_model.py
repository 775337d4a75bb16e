"""The base class of all models of the API's JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ConfigDict

_SECRET = frozenset({"key", "api_key", "token", "secret", "password"})


class WireModel(BaseModel):
    """Keeps members that this version of the client does not know, because the API may be newer.

    Validators are built at their first use, so that importing all models is fast.
    """

    model_config = ConfigDict(extra="allow", defer_build=True, populate_by_name=True)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Hides secrets, so that a printed model does not put them into logs."""
        for name, value in super().__repr_args__():
            yield name, "…" if name in _SECRET and value else value
