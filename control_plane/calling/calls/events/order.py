"""Which of a call's events may be applied now. Pure: sequence numbers in, verdicts out."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    APPLY = "apply"
    DUPLICATE = "duplicate"
    """Applied before: acknowledge it."""
    GAP = "gap"
    """Earlier events are missing: leave it until the worker has shipped them again."""


def verdict(applied_seq: int, seq: int) -> Verdict:
    """What to do with event ``seq`` of a call whose events up to ``applied_seq`` are applied."""
    if seq <= applied_seq:
        return Verdict.DUPLICATE
    return Verdict.APPLY if seq == applied_seq + 1 else Verdict.GAP
