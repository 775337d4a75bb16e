import pytest

from switchboard.caller.dialogue_policy import (
    PATIENCE,
    WHEN_LOST,
    LineByLine,
    Reply,
    Rule,
    RuleFollower,
)
from switchboard.demo.account import caller_rules

NAME = Rule(when_heard=("your name",), say="Emma Wilson.")
PRICE = Rule(when_heard=("fifty dollars", "$50"), say="That is fine.", interrupt=True)
BYE = Rule(when_heard=("anything else",), say="No, thank you.", leave=True)


def follower() -> RuleFollower:
    return RuleFollower((NAME, PRICE, BYE))


@pytest.mark.parametrize(
    "heard",
    ["May I have YOUR NAME please?", "what's your, name", "Your\nname?"],
)
def test_a_phrase_is_found_whatever_its_case_and_punctuation(heard: str) -> None:
    assert follower().reply_to(heard) == Reply("Emma Wilson.")


def test_a_phrase_matches_whole_words_only() -> None:
    assert follower().reply_to("Shall I call by your names?").text == WHEN_LOST


def test_a_rule_answers_again_when_it_was_the_last_but_not_later() -> None:
    caller = follower()
    caller.reply_to("your name?")
    assert caller.reply_to("Sorry, your name?").text == "Emma Wilson."
    caller.interruption("that is $50")
    assert caller.reply_to("your name?").text == WHEN_LOST


def test_the_last_rule_says_that_the_caller_leaves() -> None:
    assert follower().reply_to("Anything else?") == Reply("No, thank you.", then_leave=True)


def test_an_interrupting_rule_never_answers_a_finished_turn() -> None:
    assert follower().reply_to("It is fifty dollars.").text == WHEN_LOST


def test_an_interruption_is_said_once() -> None:
    caller = follower()
    assert caller.may_interrupt
    assert caller.interruption("The first check up") is None
    assert caller.interruption("The first check up is $50 and") == "That is fine."
    assert caller.interruption("The first check up is $50 and") is None
    assert not caller.may_interrupt


def test_a_caller_that_is_lost_gives_up_in_the_end() -> None:
    caller = follower()
    replies = [caller.reply_to("mumble") for _ in range(PATIENCE + 1)]
    assert replies == [Reply(WHEN_LOST)] * PATIENCE + [Reply(None, then_leave=True)]


def test_an_understood_turn_restores_its_patience() -> None:
    caller = follower()
    for _ in range(PATIENCE):
        caller.reply_to("mumble")
    caller.reply_to("your name?")
    assert caller.reply_to("mumble") == Reply(WHEN_LOST)


def test_every_line_that_it_can_say_is_known_before_the_call() -> None:
    assert set(follower().lines()) == {
        "Emma Wilson.",
        "That is fine.",
        "No, thank you.",
        WHEN_LOST,
    }


def test_line_by_line_leaves_after_its_last_line() -> None:
    caller = LineByLine(["one", "two"])
    replies = [caller.reply_to("whatever") for _ in range(3)]
    assert replies == [Reply("one"), Reply("two"), Reply(None, then_leave=True)]


def test_the_demo_has_one_interruption_and_one_way_out() -> None:
    rules = caller_rules()
    assert sum(rule.interrupt for rule in rules) == 1
    assert sum(rule.leave for rule in rules) == 1
