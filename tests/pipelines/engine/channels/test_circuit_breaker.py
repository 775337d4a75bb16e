from __future__ import annotations

from pipelines.engine.channels.circuit_breaker import (
    FIRST_PAUSE_SECONDS,
    LONGEST_PAUSE_SECONDS,
    TRIAL_SECONDS,
    CircuitBreaker,
    CircuitBreakers,
    ModelKey,
)


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def opened() -> tuple[CircuitBreaker, Clock]:
    clock = Clock()
    breaker = CircuitBreaker(clock)
    breaker.failed()
    return breaker, clock


def test_a_model_that_never_failed_is_always_tried():
    breaker = CircuitBreaker(Clock())
    assert breaker.may_try()
    assert breaker.may_try()


def test_after_one_failure_a_model_is_not_tried_until_the_pause_is_over():
    breaker, clock = opened()
    assert not breaker.may_try()
    clock.now += FIRST_PAUSE_SECONDS - 0.1
    assert not breaker.may_try()
    clock.now += 0.1
    assert breaker.may_try()


def test_only_one_request_tries_after_a_pause():
    breaker, clock = opened()
    clock.now += FIRST_PAUSE_SECONDS
    assert breaker.may_try()
    assert not breaker.may_try()


def test_a_trial_that_succeeds_opens_the_model_to_all():
    breaker, clock = opened()
    clock.now += FIRST_PAUSE_SECONDS
    assert breaker.may_try()
    breaker.succeeded()
    assert breaker.may_try()
    assert breaker.may_try()


def test_a_trial_that_reports_nothing_keeps_others_away_only_for_a_while():
    breaker, clock = opened()
    clock.now += FIRST_PAUSE_SECONDS
    assert breaker.may_try()
    clock.now += TRIAL_SECONDS
    assert breaker.may_try()


def test_the_pause_doubles_with_each_failed_trial_up_to_its_limit():
    breaker, clock = opened()
    pauses = []
    for _ in range(6):
        began = clock.now
        while not breaker.may_try():
            clock.now += 1
        pauses.append(clock.now - began)
        breaker.failed()
    assert pauses == [15, 30, 60, 120, 120, LONGEST_PAUSE_SECONDS]


def test_requests_that_were_under_way_when_the_first_failed_do_not_lengthen_the_pause():
    breaker, clock = opened()
    for _ in range(5):
        breaker.failed()
    clock.now += FIRST_PAUSE_SECONDS
    assert breaker.may_try()


def test_models_and_owners_of_keys_fail_apart():
    breakers = CircuitBreakers(Clock())
    ours = ModelKey("openai", "gpt-4o", "platform")
    breakers.of(ours).failed()
    assert not breakers.of(ours).may_try()
    assert breakers.of(ModelKey("openai", "gpt-4o", "a tenant")).may_try()
    assert breakers.of(ModelKey("openai", "gpt-4o-mini", "platform")).may_try()
