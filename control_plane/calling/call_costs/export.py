"""The costs of calls as CSV. Pure. Source: API spec, "Billing", ``export.csv``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal

from contracts.money import MICROS_PER_USD
from control_plane.calling.call_costs.repository import CallCost

HEADER = (
    "call_id,started_at,agent_id,duration_seconds,"
    "customer_revenue_usd,provider_cost_usd,gross_margin_usd"
)
MOST_CALLS = 5_000
_ROWS_AT_ONCE = 500
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def csv_of(costs: Iterable[CallCost]) -> Iterator[str]:
    """The file in pieces of some hundred lines, which end as RFC 4180 says."""
    lines = [HEADER]
    for cost in costs:
        lines.append(_line(cost))
        if len(lines) >= _ROWS_AT_ONCE:
            yield _joined(lines)
            lines = []
    yield _joined(lines)


def cell(text: str) -> str:
    """``text`` so that no spreadsheet takes it for a formula and no comma or quote ends it.

    A number below 0 stays a number.
    """
    if text.startswith(_FORMULA_STARTS) and not _is_number(text):
        text = f"'{text}"
    if any(mark in text for mark in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _line(cost: CallCost) -> str:
    margin = cost.revenue_micros - cost.provider_cost_micros
    cells = (
        str(cost.call_id),
        cost.started_at.isoformat().replace("+00:00", "Z"),
        str(cost.agent_id),
        str(cost.billable_seconds),
        _dollars(cost.revenue_micros),
        _dollars(cost.provider_cost_micros),
        _dollars(margin),
    )
    return ",".join(cell(each) for each in cells)


def _dollars(micros: int) -> str:
    """Exact, with six decimal places."""
    return f"{Decimal(micros) / MICROS_PER_USD:.6f}"


def _is_number(text: str) -> bool:
    return text[:1] in "+-" and text[1:].replace(".", "", 1).isdecimal() and text.isascii()


def _joined(lines: list[str]) -> str:
    return "".join(f"{line}\r\n" for line in lines)
