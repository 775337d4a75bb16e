"""The rows of ``docs/density.md``, in pieces of about five minutes."""

from __future__ import annotations

from collections.abc import Iterable

from bench.density.condition import Condition, Vendor


def _builds(vendors: Vendor, calls: int, neighbor: float = 0.0) -> list[Condition]:
    return [
        Condition(vendors, calls, "new", 1, None, neighbor),
        Condition(vendors, calls, "new", 2, None, neighbor),
        Condition(vendors, calls, "old", 1, None, neighbor),
    ]


def _only_new(conditions: Iterable[Condition]) -> list[Condition]:
    return [each for each in conditions if each.build == "new"]


PIECES: tuple[list[Condition], ...] = (
    _builds("offline", 1),
    _builds("offline", 4),
    _builds("offline", 6),
    _builds("cloud", 1),
    _builds("cloud", 4),
    _builds("cloud", 8),
    _builds("cloud", 12),
    _only_new(_builds("cloud", 15)),
    [*_only_new(_builds("cloud", 20)), Condition("cloud", 20, "new", 1, cores=1)],
    _builds("offline", 4, 0.5),
    _builds("offline", 4, 1.0),
    _builds("cloud", 8, 0.5),
    _builds("cloud", 8, 1.0),
)
