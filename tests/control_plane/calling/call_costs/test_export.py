from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from control_plane.calling.call_costs.export import HEADER, cell, csv_of
from control_plane.calling.call_costs.repository import CallCost

COST = CallCost(
    call_id=UUID(int=1),
    started_at=datetime(2026, 1, 5, 9, 30, tzinfo=UTC),
    agent_id=UUID(int=2),
    agent_name="Reception",
    billable_seconds=90,
    revenue_micros=45_001,
    provider_cost_micros=15_000,
)


def test_the_header_stands_alone_without_calls() -> None:
    assert "".join(csv_of([])) == f"{HEADER}\r\n"
    assert HEADER == (
        "call_id,started_at,agent_id,duration_seconds,"
        "customer_revenue_usd,provider_cost_usd,gross_margin_usd"
    )


def test_a_line_has_exact_amounts_that_add_up() -> None:
    [row] = csv.DictReader(io.StringIO("".join(csv_of([COST]))))
    assert row == {
        "call_id": str(UUID(int=1)),
        "started_at": "2026-01-05T09:30:00Z",
        "agent_id": str(UUID(int=2)),
        "duration_seconds": "90",
        "customer_revenue_usd": "0.045001",
        "provider_cost_usd": "0.015000",
        "gross_margin_usd": "0.030001",
    }


def test_many_calls_come_in_pieces_and_none_is_lost() -> None:
    pieces = list(csv_of([COST] * 1_234))
    assert len(pieces) > 2
    assert len(list(csv.reader(io.StringIO("".join(pieces))))) == 1_235


@pytest.mark.parametrize("text", ["=1+1", "+1+1", "-cmd", "@SUM(A1)", "\tx", "\rx"])
def test_no_cell_is_a_formula(text: str) -> None:
    [[read]] = csv.reader(io.StringIO(cell(text), newline=""))
    assert read == f"'{text}"


@pytest.mark.parametrize("text", ["-0.020000", "12", "plain"])
def test_numbers_and_plain_text_stay_as_they_are(text: str) -> None:
    assert cell(text) == text


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_text_is_one_cell(text: str) -> None:
    [[read]] = csv.reader(io.StringIO(cell(text), newline=""))
    assert read in (text, f"'{text}")
