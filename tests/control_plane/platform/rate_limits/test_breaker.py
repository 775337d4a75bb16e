from __future__ import annotations

from control_plane.platform.rate_limits.breaker import RETRY_SECONDS, Breaker


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_while_open_one_request_in_each_interval_tries() -> None:
    clock = Clock()
    breaker = Breaker(clock)
    assert breaker.may_try()
    breaker.failed()
    assert not breaker.may_try()

    clock.now += RETRY_SECONDS
    assert [breaker.may_try() for _ in range(3)] == [True, False, False]


def test_only_a_change_of_state_is_reported() -> None:
    breaker = Breaker(Clock())
    assert not breaker.succeeded()
    assert [breaker.failed() for _ in range(3)] == [True, False, False]
    assert [breaker.succeeded() for _ in range(2)] == [True, False]
    assert breaker.may_try()
