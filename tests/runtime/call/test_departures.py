"""Who has left a call or lost it, and when that ends the call."""

from __future__ import annotations

from uuid import UUID

import pytest

from runtime.call.departures import Departures
from runtime.call.end_cause import Cause, Ending
from runtime.media.room import GoneCause

ANNA, BEN = UUID(int=1), UUID(int=2)
LEFT = Ending.because(Cause.LAST_LEG_LEFT)
LOST = Ending.because(Cause.LAST_LEG_LOST)


def departures_of_one_in_call() -> Departures:
    departures = Departures([ANNA])
    departures.connected(ANNA)
    return departures


def test_a_browser_whose_connection_is_closed_may_come_back() -> None:
    departure = departures_of_one_in_call().gone(ANNA, "connection_lost")
    assert not departure.has_left
    assert departure.ending is None


@pytest.mark.parametrize("cause", ["left", "connection_lost", "stayed_away"])
def test_who_hangs_up_has_left_however_the_connection_ended(cause: GoneCause) -> None:
    departures = departures_of_one_in_call()
    departures.hung_up(ANNA, None)
    departure = departures.gone(ANNA, cause)
    assert departure.has_left
    assert departure.ending == LEFT


def test_who_connects_again_has_not_hung_up() -> None:
    departures = departures_of_one_in_call()
    departures.hung_up(ANNA, None)
    departures.connected(ANNA)
    assert departures.gone(ANNA, "connection_lost").ending is None


def test_a_browser_that_stays_away_is_lost() -> None:
    departure = departures_of_one_in_call().gone(ANNA, "stayed_away")
    assert not departure.has_left
    assert departure.ending == LOST


def test_a_phone_that_stays_away_has_lost_its_line() -> None:
    departures = departures_of_one_in_call()
    departures.phone_opened(ANNA, "twilio")
    departure = departures.gone(ANNA, "stayed_away")
    assert departure.lost_carrier == "twilio"
    assert departure.ending == Ending.line_lost("twilio")


def test_a_line_that_was_lost_is_there_again_with_the_phone() -> None:
    departures = departures_of_one_in_call()
    departures.phone_opened(ANNA, "twilio")
    departures.hung_up(ANNA, "twilio")
    assert departures.gone(ANNA, "connection_lost").ending == Ending.line_lost("twilio")
    departures.phone_opened(ANNA, "twilio")
    departures.connected(ANNA)
    assert departures.gone(ANNA, "connection_lost").lost_carrier is None


def test_a_call_is_over_when_everybody_hangs_up_before_joining() -> None:
    departures = Departures([ANNA, BEN])
    departures.hung_up(ANNA, None)
    assert departures.ending_at_hang_up(ANNA, None, anybody_stays=False) is None
    departures.hung_up(BEN, None)
    assert departures.ending_at_hang_up(BEN, None, anybody_stays=False) == LEFT


def test_a_call_is_over_when_the_only_phones_line_is_lost_before_its_sound() -> None:
    departures = Departures([ANNA])
    departures.hung_up(ANNA, "telnyx")
    ending = departures.ending_at_hang_up(ANNA, "telnyx", anybody_stays=False)
    assert ending == Ending.line_lost("telnyx")


def test_a_call_that_somebody_has_joined_awaits_those_who_hang_up_before_joining() -> None:
    departures = Departures([ANNA, BEN])
    departures.connected(ANNA)
    departures.gone(ANNA, "connection_lost")
    departures.hung_up(ANNA, None)
    departures.hung_up(BEN, None)
    assert departures.ending_at_hang_up(BEN, None, anybody_stays=False) is None


def test_what_the_leg_of_an_answered_browser_tells_comes_before_its_hang_up() -> None:
    departures = Departures([ANNA])
    departures.offer_answered(ANNA)
    departures.hung_up(ANNA, None)
    assert departures.ending_at_hang_up(ANNA, None, anybody_stays=False) is None
    assert departures.nobody_comes


def test_who_seemed_lost_and_hangs_up_has_left() -> None:
    departures = departures_of_one_in_call()
    assert departures.gone(ANNA, "connection_lost").ending is None
    departures.awaited(ANNA)
    departures.hung_up(ANNA, None)
    assert departures.ending_at_hang_up(ANNA, None, anybody_stays=True) is None
    assert departures.ending_at_hang_up(ANNA, None, anybody_stays=False) == LEFT


def test_the_time_to_come_back_begins_again_with_each_loss() -> None:
    departures = departures_of_one_in_call()
    first, second = departures.awaited(ANNA), departures.awaited(ANNA)
    assert not departures.is_latest(first)
    assert departures.is_latest(second)
