"""How much of a call is paid for, and when its goodbye begins."""

from __future__ import annotations

import pytest

from contracts.call_plan import CallLimits
from contracts.commands import FUNDS_GOODBYE_MS
from runtime.call.funds import BALANCE_SPENT, NOT_EXTENDED, Funds
from runtime.call.limits import Due, LimitsWatch

LEAD = FUNDS_GOODBYE_MS / 1000
LIMITS = CallLimits(
    max_duration_seconds=600, silence_prompt_seconds=600, silence_hangup_seconds=600
)


def watching(funds: Funds) -> LimitsWatch:
    """A watch of a call whose first leg connected at second 100."""
    watch = LimitsWatch(LIMITS, funds, opened_at=90.0)
    watch.started(100.0)
    watch.meter_runs(0, 100.0)
    return watch


def test_the_goodbye_begins_so_that_the_call_ends_with_its_paid_time() -> None:
    watch = watching(Funds(30_000))
    assert watch.next_due_at == 130 - LEAD
    assert watch.due(129.9 - LEAD) is None
    assert watch.due(130 - LEAD) is Due.FUNDS_LAPSE
    assert watch.due(131) is None


def test_an_extension_puts_the_goodbye_off() -> None:
    funds = Funds(30_000)
    watch = watching(funds)
    funds.extend(90_000, balance_is_spent=False)
    assert watch.due(130) is None
    assert watch.next_due_at == 190 - LEAD


def test_extensions_may_come_late_twice_and_in_any_order() -> None:
    funds = Funds(30_000)
    for until_ms in (90_000, 60_000, 90_000, 30_000):
        funds.extend(until_ms, balance_is_spent=False)
    assert funds.until_ms == 90_000


def test_a_call_that_costs_nothing_is_never_cut() -> None:
    funds = Funds(None)
    watch = watching(funds)
    funds.extend(30_000, balance_is_spent=True)
    assert funds.until_ms is None
    assert watch.due(500) is None
    assert funds.billable_ms(10**9) == 10**9


def test_paid_time_does_not_pass_while_nobody_is_connected() -> None:
    watch = watching(Funds(30_000))
    watch.meter_holds()
    assert watch.due(200) is None
    watch.meter_runs(10_000, 200.0)
    assert watch.next_due_at == 220 - LEAD


def test_what_exceeds_the_paid_time_is_free() -> None:
    funds = Funds(30_000)
    assert [funds.billable_ms(ms) for ms in (29_999, 30_000, 34_500)] == [29_999, 30_000, 30_000]


@pytest.mark.parametrize(("spent", "why"), [(True, BALANCE_SPENT), (False, NOT_EXTENDED)])
def test_the_reason_tells_a_spent_balance_from_missing_news(spent: bool, why: str) -> None:
    funds = Funds(30_000)
    assert funds.why_over == NOT_EXTENDED
    funds.extend(30_000, balance_is_spent=spent)
    assert funds.why_over == why
