"""docs/faults.md has a figure for every fault that must be answered."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

from contracts.call_plan import Channel
from tests.faults.cells import MOST_WAIT_MS, Cell, HowLong, OwnEndpoint, RealtimeColumn
from tests.faults.page import PATH, cells_of, machines_of, page

EVERYWHERE = (
    *("refused", "401", "429", "500", "hang first", "hang mid"),
    *("disconnect mid", "garbage", "slow x 10"),
)
CELLS = list(cells_of(PATH.read_text()))


@pytest.mark.parametrize("channel", get_args(Channel))
@pytest.mark.parametrize("fault", EVERYWHERE)
def test_every_fault_is_measured_once_and_for_ever(channel: Channel, fault: str) -> None:
    measured = {each.how_long for each in CELLS if (each.channel, each.fault) == (channel, fault)}
    assert measured == set(get_args(HowLong))


@pytest.mark.parametrize("column", get_args(RealtimeColumn))
@pytest.mark.parametrize("fault", EVERYWHERE)
def test_every_fault_of_a_realtime_model_is_measured(column: RealtimeColumn, fault: str) -> None:
    assert any((each.channel, each.fault) == (column, fault) for each in CELLS)


@pytest.mark.parametrize("endpoint", get_args(OwnEndpoint))
@pytest.mark.parametrize("fault", EVERYWHERE)
def test_every_fault_of_a_tenants_endpoint_is_measured(endpoint: OwnEndpoint, fault: str) -> None:
    assert any((each.channel, each.fault) == (endpoint, fault) for each in CELLS)


def test_no_caller_waits_longer_than_is_promised() -> None:
    assert max(each.waited_ms for each in CELLS) <= MOST_WAIT_MS


def test_a_page_is_read_as_it_was_written() -> None:
    cells = [
        Cell(channel, fault, how_long, 1_234)
        for channel, how_long, fault in product(get_args(Channel), get_args(HowLong), EVERYWHERE)
    ]
    cells += [Cell(endpoint, "401", "for ever", 80) for endpoint in get_args(OwnEndpoint)]
    machines = ["Measured on one.", "Measured on another."]
    text = page(cells, *machines)
    assert sorted(cells_of(text), key=repr) == sorted(cells, key=repr)
    assert machines_of(text) == machines
