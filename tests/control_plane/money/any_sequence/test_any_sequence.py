"""Any sequence of calls, top-ups, bonuses, refunds, disputes, resets and recharges at both gateways
with crashes between any two steps and replays, leaves sound books. 100,000 operations in all.

``python -m bench.any_sequence`` does as many as it has time for.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, nullcontext
from pathlib import Path
from unittest.mock import AsyncMock

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from tests.control_plane.money.any_sequence import payers
from tests.control_plane.money.any_sequence.market import Market
from tests.control_plane.money.any_sequence.shop import opened_shop
from tests.control_plane.money.any_sequence.steps import (
    CHARGES,
    LARGEST,
    LAST_DEATH,
    MOST_AT_ONCE,
    REPORTING,
    WHAT,
    Step,
)

SHARES = 2
"""Tests that run beside each other."""
OPERATIONS = 100_000 // SHARES
STEPS = st.lists(
    st.builds(
        Step,
        st.sampled_from(WHAT),
        st.integers(1, MOST_AT_ONCE),
        st.integers(0, LARGEST),
        st.integers(0, LARGEST),
        st.just(0) | st.integers(1, LAST_DEATH),
        st.sampled_from(CHARGES),
        st.sampled_from(REPORTING),
    ),
    min_size=100,
    max_size=200,
)
MARKETS = 80
"""More than are needed for the operations of a share: how many a market has is random."""


@pytest.mark.timeout(600)
@pytest.mark.parametrize("share", range(SHARES))
def test_the_books_are_sound_after_any_sequence(
    postgres_url: str, tmp_path: Path, share: int
) -> None:
    done = 0
    with asyncio.Runner() as runner, capture_logs():
        stack = AsyncExitStack()
        shop = runner.run(stack.enter_async_context(opened_shop(postgres_url, tmp_path)))

        async def market_lives(steps: list[Step]) -> int:
            return await (await Market.opened(shop)).live(steps)

        @seed(share)
        @settings(max_examples=MARKETS, deadline=None, suppress_health_check=list(HealthCheck))
        @given(STEPS)
        def live(steps: list[Step]) -> None:
            nonlocal done
            if done < OPERATIONS:
                done += runner.run(market_lives(steps))

        try:
            live()
        finally:
            runner.run(stack.aclose())
    assert done >= OPERATIONS


@pytest.mark.parametrize("asks_gateways", [True, False])
@pytest.mark.parametrize("gateway", ["stripe", "razorpay"])
async def test_a_refund_that_nobody_reports_is_found_by_asking_the_gateway(
    postgres_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    gateway: str,
    *,
    asks_gateways: bool,
) -> None:
    who = ("stripe", "razorpay").index(gateway)
    steps = (
        Step("checkout", 1, who, 1, 0, "succeeds", "after"),
        Step("pay", 1, who, 1, 0, "succeeds", "after"),
        Step("refund", 1, who, 100, 0, "succeeds", "never"),
    )
    if not asks_gateways:
        monkeypatch.setattr(payers, "reconcile_reversals", AsyncMock())
    found = nullcontext() if asks_gateways else pytest.raises(AssertionError)
    async with opened_shop(postgres_url, tmp_path) as shop:
        market = await Market.opened(shop)
        with found:
            await market.live(steps)
