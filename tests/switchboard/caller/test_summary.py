from switchboard.caller.activity import SpeechInterval
from switchboard.caller.reports import CallSummary
from switchboard.caller.speech_queue import SentSpeech
from switchboard.caller.summary import summarise
from switchboard.caller.turn_taking import HeardWords, Say

HEARD = [
    HeardWords("Good morning.", 10.5, 11.5),
    HeardWords("It is fifty", 14.0, 16.2),
    HeardWords("Very well.", 19.0, 20.0),
]
AGENT = [
    SpeechInterval(10.5, 11.5),
    SpeechInterval(14.0, 16.2),
    SpeechInterval(19.0, 20.0),
]
SAID = [
    Say("How much is it?"),
    Say("That is fine.", is_interruption=True),
    Say("Goodbye.", is_goodbye=True),
]
SPOKEN = [SentSpeech("How much is it?", 12.0, 13.2), SentSpeech("That is fine.", 16.0, 18.2)]


def summary(said: list[Say] = SAID) -> CallSummary:
    return summarise(
        call_id="call",
        ended_by="agent",
        end_reason="end_call_tool",
        connected_at=10.0,
        ended_at=21.5,
        said=said,
        spoken=SPOKEN,
        heard=HEARD,
        agent=AGENT,
    )


def test_each_turn_holds_what_was_said_and_what_was_heard_in_return() -> None:
    assert [(turn.said, turn.heard) for turn in summary().turns] == [
        ("How much is it?", "It is fifty"),
        ("That is fine.", "Very well."),
    ]
    assert summary().opener_heard == "Good morning."


def test_latencies_come_from_the_waveforms() -> None:
    assert summary().first_sample_ms == 500.0
    assert summary().voice_to_voice_ms == [800.0, 800.0]
    assert summary().barge_in_ms == (200.0,)


def test_an_utterance_cut_off_by_the_end_of_the_call_is_no_turn() -> None:
    assert len(summary().turns) == len(SPOKEN)


def test_a_call_in_which_the_caller_said_nothing_has_an_opener_all_the_same() -> None:
    silent = summarise(
        call_id="call",
        ended_by="caller",
        end_reason=None,
        connected_at=10.0,
        ended_at=12.0,
        said=[],
        spoken=[],
        heard=HEARD[:1],
        agent=AGENT[:1],
    )
    assert silent.turns == ()
    assert silent.opener_heard == "Good morning."
