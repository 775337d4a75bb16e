from __future__ import annotations

import pytest

from pipelines.engine.channels.time_left import IN_TIME_SECONDS, LEAST_SECONDS, time_left


def test_the_first_model_has_its_usual_deadline() -> None:
    assert time_left(2.0, waited_seconds=0.0) == 2.0


def test_a_later_one_has_what_the_others_have_left() -> None:
    assert time_left(2.0, waited_seconds=1.5) == pytest.approx(IN_TIME_SECONDS - 1.5)
    assert time_left(2.0, 1.5, reserve_seconds=0.3) == pytest.approx(IN_TIME_SECONDS - 1.8)


def test_none_is_asked_in_vain() -> None:
    assert time_left(2.0, waited_seconds=60.0) == LEAST_SECONDS
    assert time_left(0.1, waited_seconds=60.0) == 0.1
