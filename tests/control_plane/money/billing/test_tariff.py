from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from contracts.money import charge_micros
from control_plane.money.billing.reserve import payable_seconds
from control_plane.money.billing.tariff import Rate, Tariff

SECONDS = st.integers(0, 240).map(lambda increments: increments * 30)
MICROS = st.integers(0, 500_000)


def test_each_millisecond_costs_the_rate_of_its_moment() -> None:
    tariff = Tariff((Rate(0, 60_000), Rate(34_250, 120_000)))
    assert tariff.durations_ms(60) == (34_250, 25_750)
    assert tariff.charge_micros(60) == 34_250 + 2 * 25_750


def test_a_fraction_of_a_micro_dollar_is_rounded_up_once() -> None:
    tariff = Tariff((Rate(0, 1), Rate(1, 1), Rate(2, 1)))
    assert tariff.charge_micros(30) == 1


def test_what_fills_the_last_increment_costs_the_last_rate() -> None:
    tariff = Tariff((Rate(0, 0), Rate(31_000, 60_000)))
    assert tariff.charge_micros(60) == 29_000


def test_a_rate_that_begins_after_the_end_costs_nothing() -> None:
    tariff = Tariff((Rate(0, 60_000), Rate(90_000, 120_000), Rate(95_000, 1)))
    assert tariff.durations_ms(60) == (60_000, 0, 0)
    assert tariff.charge_micros(60) == 60_000


@given(SECONDS, MICROS, MICROS)
def test_one_rate_costs_what_a_flat_price_costs(seconds: int, rate: int, micros: int) -> None:
    tariff = Tariff.flat(rate)
    assert tariff.charge_micros(seconds) == charge_micros(seconds, rate)
    assert tariff.payable_seconds(seconds, micros) == payable_seconds(seconds, micros, rate)


@given(SECONDS, MICROS, st.lists(st.tuples(st.integers(0, 7_200_000), MICROS), max_size=7))
def test_no_mixture_costs_more_than_its_highest_rate(
    seconds: int, first: int, later: list[tuple[int, int]]
) -> None:
    rates = (Rate(0, first), *(Rate(*each) for each in sorted(later)))
    tariff = Tariff(rates)
    highest = max(rate.micros_per_minute for rate in rates)
    assert sum(tariff.durations_ms(seconds)) == seconds * 1000
    assert tariff.charge_micros(seconds) <= charge_micros(seconds, highest)


@given(SECONDS, MICROS, st.integers(0, 200_000), MICROS, st.integers(0, 10_000_000))
def test_what_is_payable_is_the_most_that_the_money_covers(
    seconds: int, first: int, from_ms: int, second: int, micros: int
) -> None:
    tariff = Tariff((Rate(0, first), Rate(from_ms, second)))
    payable = tariff.payable_seconds(seconds, micros)
    assert tariff.charge_micros(payable) <= micros
    assert payable == seconds or tariff.charge_micros(payable + 30) > micros
