from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from control_plane.calling.calls.events.envelope import Verdict, verdict


def test_the_next_event_is_applied() -> None:
    assert verdict(0, 1) is Verdict.APPLY
    assert verdict(41, 42) is Verdict.APPLY


def test_an_event_seen_before_is_a_duplicate() -> None:
    assert verdict(5, 5) is Verdict.DUPLICATE
    assert verdict(5, 1) is Verdict.DUPLICATE


def test_an_event_after_a_missing_one_waits() -> None:
    assert verdict(5, 7) is Verdict.GAP


@given(
    length=st.integers(1, 20),
    shipments=st.lists(st.tuples(st.integers(0, 19), st.integers(0, 20)), max_size=12),
    data=st.data(),
)
def test_any_order_of_shipments_applies_each_event_once_and_in_order(
    length: int, shipments: list[tuple[int, int]], data: st.DataObject
) -> None:
    """Ranges shipped twice, late or out of order, then the journal from the cursor on."""
    arriving = [seq for start, count in shipments for seq in range(start + 1, start + count + 1)]
    arriving = [seq for seq in data.draw(st.permutations(arriving)) if seq <= length]
    applied: list[int] = []
    for seq in arriving:
        if verdict(len(applied), seq) is Verdict.APPLY:
            applied.append(seq)
    for seq in range(len(applied) + 1, length + 1):
        assert verdict(len(applied), seq) is Verdict.APPLY
        applied.append(seq)
    assert applied == list(range(1, length + 1))
