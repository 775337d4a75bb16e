from __future__ import annotations

from livekit.agents import stt

from pipelines.engine.channels.candidates import Candidate, Candidates
from pipelines.engine.channels.circuit_breaker import CircuitBreaker
from pipelines.engine.channels.stt.recogniser_order import Recogniser, RecogniserOrder
from tests.pipelines.engine.channels.stt.beeps import BeepSTT, candidate


def three() -> tuple[RecogniserOrder, Recogniser, Recogniser, Recogniser]:
    a = candidate("a", BeepSTT(), CircuitBreaker(lambda: 0.0))
    b = candidate("b", BeepSTT(), CircuitBreaker(lambda: 0.0))
    local = candidate("local", BeepSTT())
    everyone: list[Candidate[stt.STT[None]]] = [a, b, local]
    return RecogniserOrder(Candidates(everyone)), a, b, local


def test_each_is_asked_once_in_a_round():
    order, a, b, local = three()
    for each in (a, b, local):
        assert order.next() is each
        order.failed(each, was_working=False)
    assert order.next() is None


def test_one_that_worked_is_asked_again_after_all_others_and_only_once():
    order, a, b, local = three()
    order.succeeded(a)
    order.failed(a, was_working=True)
    assert order.next() is b
    order.failed(b, was_working=False)
    assert order.next() is local
    order.failed(local, was_working=False)
    assert order.next() is a
    order.failed(a, was_working=False)
    assert order.next() is None


def test_final_words_begin_a_new_round_in_which_those_who_failed_come_last():
    order, a, b, local = three()
    order.failed(a, was_working=False)
    order.succeeded(b)
    order.failed(b, was_working=True)
    assert order.next() is local
    order.failed(local, was_working=False)
    assert order.next() is a


def test_for_another_opinion_the_silent_one_is_left_out():
    order, a, b, local = three()
    assert order.next(a) is b
    assert order.next(a, b) is local
    assert order.next(a, b, local) is None


def test_what_this_process_cannot_run_says_nothing_about_the_provider():
    order, a, b, _ = three()
    order.cannot_run(a)
    assert order.next() is b
    assert a.breaker is not None
    assert a.breaker.may_try()
