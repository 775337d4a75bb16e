"""What a row of the table is measured under."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bench.vendors.delays import Speed

Vendor = Literal["offline"] | Speed
Build = Literal["new", "old"]


@dataclass(frozen=True)
class Condition:
    vendors: Vendor
    calls: int
    build: Build = "new"
    processes: int = 1
    """Of the media worker."""
    cores: int | None = None
    """That the media worker and the models may use; everything else has the others."""
    neighbor: float = 0.0
    """The share of a core that another program takes."""
