from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from control_plane.money.billing.buckets import Buckets, draw


def test_free_credit_is_used_before_purchased_credit() -> None:
    assert draw(Buckets(100, 500), 60) == Buckets(60, 0)
    assert draw(Buckets(100, 500), 160) == Buckets(100, 60)


def test_what_nothing_covers_is_owed_by_the_purchased_bucket() -> None:
    assert draw(Buckets(10, 20), 50) == Buckets(10, 40)
    assert draw(Buckets(0, -5), 50) == Buckets(0, 50)


def test_a_negative_amount_is_refused() -> None:
    with pytest.raises(ValueError, match="amount_micros"):
        draw(Buckets(1, 1), -1)


@given(free=st.integers(0, 10**9), purchased=st.integers(0, 10**9), amount=st.integers(0, 10**10))
def test_a_draw_takes_exactly_the_amount(free: int, purchased: int, amount: int) -> None:
    balance = Buckets(free, purchased)
    taken = draw(balance, amount)
    assert taken.total_micros == amount
    left = balance + -taken
    assert left.total_micros == balance.total_micros - amount
    assert left.free_micros >= 0
    assert taken.purchased_micros == 0 or left.free_micros == 0
