from __future__ import annotations

import pytest

from contracts.call_plan import ProviderChoice
from pipelines.engine.channels.candidates import Candidate, Candidates
from pipelines.engine.channels.circuit_breaker import CircuitBreaker
from pipelines.engine.providers.spec import ProviderUnavailable


class FakeModel:
    closed = False

    async def aclose(self) -> None:
        self.closed = True


def candidate(provider: str, breaker: CircuitBreaker | None = None) -> Candidate[FakeModel]:
    return Candidate(ProviderChoice(provider=provider, model="m"), FakeModel, breaker)


def failed() -> CircuitBreaker:
    breaker = CircuitBreaker(lambda: 0.0)
    breaker.failed()
    return breaker


def names(candidates: Candidates[FakeModel]) -> list[str]:
    return [each.name for each in candidates.attempts()]


def test_models_are_tried_in_their_order():
    assert names(Candidates([candidate("a"), candidate("b")])) == ["a/m", "b/m"]


def test_a_model_that_failed_lately_comes_last():
    candidates = Candidates([candidate("a", failed()), candidate("b"), candidate("local")])
    assert names(candidates) == ["b/m", "local/m", "a/m"]


def test_a_model_that_is_not_reached_is_not_taken_for_tried():
    clock = iter([0.0, 100.0, 100.0]).__next__
    breaker = CircuitBreaker(clock)
    breaker.failed()
    candidates = Candidates([candidate("a"), candidate("b", breaker)])
    assert next(candidates.attempts()).name == "a/m"
    assert breaker.may_try()


async def test_a_model_is_built_once_and_closed_with_the_call():
    first, second = candidate("a"), candidate("b")
    candidates = Candidates([first, second])
    model = candidates.model(first)
    assert candidates.model(first) is model
    await candidates.aclose()
    assert model.closed


async def test_a_model_that_is_given_up_is_built_again():
    first = candidate("a")
    candidates = Candidates([first])
    assert candidates.give_up(first) is None
    model = candidates.model(first)
    assert candidates.give_up(first) is model
    again = candidates.model(first)
    assert again is not model
    await candidates.aclose()
    assert (model.closed, again.closed) == (False, True)


def unavailable(provider: str, why: Exception | None = None) -> Candidate[FakeModel]:
    def refuse() -> FakeModel:
        raise why or ProviderUnavailable(f"{provider} has no key")

    return Candidate(ProviderChoice(provider=provider, model="m"), refuse)


def test_a_call_can_begin_if_any_model_can_be_built():
    local = candidate("local")
    candidates = Candidates([unavailable("a"), local])
    candidates.build_one()
    assert candidates.rank(local) == 1


def test_a_model_whose_plugin_fails_while_it_is_built_leaves_the_call_to_the_next():
    failing = unavailable("a", ValueError("speed must be between 0.6 and 2"))
    fallback = candidate("b")
    candidates = Candidates([failing, fallback])
    candidates.build_one()
    assert isinstance(candidates.model(fallback), FakeModel)
    with pytest.raises(ProviderUnavailable, match=r"^it cannot be built \(ValueError\)$"):
        candidates.model(failing)


def test_without_any_model_the_primary_says_why():
    with pytest.raises(ProviderUnavailable, match="a has no key"):
        Candidates([unavailable("a"), unavailable("b")]).build_one()
