from dataclasses import replace

from switchboard.caller.dialogue_policy import LineByLine, Rule, RuleFollower
from switchboard.caller.turn_taking import (
    GOODBYE_SECONDS,
    REPLY_TIMEOUT_SECONDS,
    HeardWords,
    Leave,
    Say,
    Situation,
    TurnTaking,
)

QUIET = Situation(
    now=10.0,
    agent_speaking_since=None,
    agent_spoke_at=9.5,
    caller_is_speaking=False,
    caller_spoke_at=5.0,
)
CUT_IN = Rule(when_heard=("fifty dollars",), say="That is fine.", interrupt=True)
BYE = Rule(when_heard=("anything else",), say="No, thank you.", leave=True)


def words(text: str, started_at: float = 7.0, ended_at: float = 9.5) -> HeardWords:
    return HeardWords(text, started_at, ended_at)


def test_a_finished_turn_is_answered() -> None:
    turn_taking = TurnTaking(LineByLine(["Hello."]), 0.0)
    assert turn_taking.heard(words("Good morning."), QUIET) == Say("Hello.")


def test_an_agent_that_goes_on_is_not_answered_before_it_has_finished() -> None:
    rules = (Rule(when_heard=("good morning how are you",), say="Fine."),)
    turn_taking = TurnTaking(RuleFollower(rules), 0.0)
    goes_on = replace(QUIET, agent_speaking_since=9.9)
    assert turn_taking.heard(words("Good morning."), goes_on) is None
    assert turn_taking.heard(words("How are you?", 9.9, 11.0), QUIET) == Say("Fine.")


def test_words_that_the_agent_said_while_the_caller_paused_are_no_answer() -> None:
    turn_taking = TurnTaking(LineByLine(["It is my first time."]), 0.0)
    went_on = replace(QUIET, caller_spoke_at=9.0)
    assert turn_taking.heard(words("Sure.", 7.0, 7.4), went_on) is None
    answer = words("Sure. Have you been here?", 9.6, 11.0)
    assert turn_taking.heard(answer, went_on) == Say("It is my first time.")


def test_silence_is_broken_after_the_timeout_and_not_before() -> None:
    turn_taking = TurnTaking(LineByLine(["Are you there?"]), 0.0)
    quiet_until = 9.5 + REPLY_TIMEOUT_SECONDS
    assert turn_taking.tick(replace(QUIET, now=quiet_until - 0.1)) is None
    assert turn_taking.tick(replace(QUIET, now=quiet_until)) == Say("Are you there?")


def test_silence_counts_from_the_connection_when_nobody_has_spoken() -> None:
    turn_taking = TurnTaking(LineByLine(["Hello?"]), 100.0)
    unheard = replace(QUIET, agent_spoke_at=None, caller_spoke_at=None)
    assert turn_taking.tick(replace(unheard, now=100 + REPLY_TIMEOUT_SECONDS - 0.1)) is None
    assert turn_taking.tick(replace(unheard, now=100 + REPLY_TIMEOUT_SECONDS)) == Say("Hello?")


def test_a_turn_that_is_being_recognised_is_no_silence() -> None:
    turn_taking = TurnTaking(LineByLine(["Hello?"]), 0.0)
    assert turn_taking.tick(replace(QUIET, now=60.0, is_recognising=True)) is None


SPEAKING = replace(QUIET, now=10.0, agent_speaking_since=8.0, agent_spoke_at=9.99)


def test_it_cuts_in_on_what_it_overhears() -> None:
    turn_taking = TurnTaking(RuleFollower((CUT_IN, BYE)), 0.0)
    turn_taking.overheard("It is", SPEAKING)
    assert turn_taking.tick(SPEAKING) is None
    turn_taking.overheard("It is fifty dollars", SPEAKING)
    assert turn_taking.tick(SPEAKING) == Say("That is fine.", is_interruption=True)
    assert turn_taking.tick(SPEAKING) is None
    assert not turn_taking.may_interrupt


def test_it_cuts_in_on_speech_and_not_on_a_pause_for_breath() -> None:
    turn_taking = TurnTaking(RuleFollower((CUT_IN, BYE)), 0.0)
    turn_taking.overheard("It is fifty dollars", SPEAKING)
    assert turn_taking.tick(replace(SPEAKING, now=10.2)) is None
    speaks_on = replace(SPEAKING, now=10.4, agent_spoke_at=10.38)
    assert turn_taking.tick(speaks_on) == Say("That is fine.", is_interruption=True)


def test_an_agent_that_finishes_first_gets_the_same_words_as_an_answer() -> None:
    turn_taking = TurnTaking(RuleFollower((CUT_IN, BYE)), 0.0)
    turn_taking.overheard("It is fifty dollars", SPEAKING)
    answer = turn_taking.heard(words("It is fifty dollars."), QUIET)
    assert answer == Say("That is fine.")


def test_words_overheard_too_late_are_left_for_the_answer() -> None:
    turn_taking = TurnTaking(RuleFollower((CUT_IN, BYE)), 0.0)
    turn_taking.overheard("It is fifty dollars", QUIET)
    assert turn_taking.tick(SPEAKING) is None
    assert turn_taking.may_interrupt


def cut_in() -> TurnTaking:
    turn_taking = TurnTaking(RuleFollower((CUT_IN, BYE)), 0.0)
    turn_taking.overheard("fifty dollars", SPEAKING)
    assert turn_taking.tick(SPEAKING) is not None
    return turn_taking


def test_a_turn_that_was_cut_off_gets_no_second_answer() -> None:
    still_saying = replace(QUIET, now=11.0, caller_is_speaking=True)
    assert cut_in().heard(words("It is fifty dollars", 8.0, 10.3), still_saying) is None
    said = replace(QUIET, now=12.0, caller_spoke_at=11.5)
    assert cut_in().heard(words("It is fifty dollars", 8.0, 10.3), said) is None


def test_an_agent_that_talks_through_an_interruption_is_answered_in_the_end() -> None:
    said = replace(QUIET, now=14.0, caller_spoke_at=11.5)
    assert cut_in().heard(words("fifty dollars. Anything else?", 8.0, 13.0), said) == Say(
        "No, thank you.", is_goodbye=True
    )


def goodbye() -> TurnTaking:
    turn_taking = TurnTaking(RuleFollower((BYE,)), 0.0)
    assert turn_taking.heard(words("Anything else?"), QUIET) == Say(
        "No, thank you.", is_goodbye=True
    )
    return turn_taking


def test_after_its_goodbye_it_leaves_with_the_agents_last_words() -> None:
    assert goodbye().heard(words("Goodbye.", 12.0, 13.0), QUIET) == Leave()


def test_after_its_goodbye_it_does_not_wait_for_ever() -> None:
    turn_taking = goodbye()
    assert turn_taking.tick(replace(QUIET, now=12.0, caller_spoke_at=11.0)) is None
    alone = replace(QUIET, now=11.0 + GOODBYE_SECONDS, caller_spoke_at=11.0)
    assert turn_taking.tick(alone) == Leave()


def test_it_waits_while_the_agent_says_its_last_words() -> None:
    speaking = replace(QUIET, now=60.0, agent_speaking_since=50.0)
    assert goodbye().tick(speaking) is None
