from switchboard.caller.activity import SpeechInterval
from switchboard.caller.reply_watch import Onset, ReplyWatch
from switchboard.caller.speech_queue import SentSpeech

OPENER = SpeechInterval(10.3, 12.0)
ASKED = SentSpeech("How much?", 13.0, 14.0)


def test_the_opener_counts_from_the_connection_and_is_noticed_once() -> None:
    watch = ReplyWatch(10.0)
    assert watch.onset([OPENER], [], True) == Onset(10.3, 300.0)
    assert watch.onset([OPENER], [], True) is None


def opened() -> ReplyWatch:
    watch = ReplyWatch(10.0)
    watch.onset([OPENER], [], True)
    return watch


def test_a_reply_counts_from_the_callers_last_sample() -> None:
    reply = SpeechInterval(14.75, 15.0)
    assert opened().onset([OPENER, reply], [ASKED], True) == Onset(14.75, 750.0)


def test_the_next_sentence_of_a_reply_is_no_new_onset() -> None:
    watch = opened()
    reply, more = SpeechInterval(14.75, 15.0), SpeechInterval(15.3, 16.0)
    watch.onset([OPENER, reply], [ASKED], True)
    assert watch.onset([OPENER, reply, more], [ASKED], True) is None


def test_speech_over_the_caller_has_no_latency() -> None:
    watch = opened()
    assert watch.onset([OPENER, SpeechInterval(13.5, 13.9)], [], False) == Onset(13.5, None)


def test_speech_too_soon_to_be_a_reply_has_no_latency() -> None:
    assert opened().onset([OPENER, SpeechInterval(14.05, 15.0)], [ASKED], True) == Onset(
        14.05, None
    )


def test_a_nudge_into_a_long_silence_has_no_latency_of_its_own() -> None:
    watch = opened()
    reply, nudge = SpeechInterval(14.75, 15.0), SpeechInterval(23.0, 24.0)
    watch.onset([OPENER, reply], [ASKED], True)
    assert watch.onset([OPENER, reply, nudge], [ASKED], True) == Onset(23.0, None)
