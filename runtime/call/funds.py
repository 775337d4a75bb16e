"""How much of a call is paid for. Pure.

The control plane reserves credit ahead of the connected time and tells the worker. Each word of it
may be lost, come late or come twice, so the furthest one counts.
"""

from __future__ import annotations

BALANCE_SPENT = "the balance is used up"
NOT_EXTENDED = (
    "no more paid time was confirmed by the control plane in time; the balance may not be used up"
)


class Funds:
    """``until_ms`` is the connected time that is paid for; ``None``: no limit."""

    def __init__(self, until_ms: int | None) -> None:
        self.until_ms = until_ms
        self._balance_is_spent = False

    def extend(self, until_ms: int, *, balance_is_spent: bool) -> None:
        """The reserve pays for ``until_ms``. Changes nothing if more is paid for already."""
        if self.until_ms is None or until_ms < self.until_ms:
            return
        self.until_ms = until_ms
        self._balance_is_spent = balance_is_spent

    def billable_ms(self, connected_ms: int) -> int:
        """The part of ``connected_ms`` that is paid for: a goodbye that takes longer is free."""
        return connected_ms if self.until_ms is None else min(connected_ms, self.until_ms)

    @property
    def why_over(self) -> str:
        """Why nothing more is paid for, as far as the worker knows."""
        return BALANCE_SPENT if self._balance_is_spent else NOT_EXTENDED
