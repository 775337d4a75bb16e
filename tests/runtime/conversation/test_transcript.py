from contracts.events import TranscriptSegment
from contracts.live_messages import Interrupted, LiveTranscript
from runtime.conversation.transcript import Transcript
from tests.runtime.fakes import FakeRecord


def user_turn(transcript: Transcript, text: str, started_at_ms: int, ended_at_ms: int) -> None:
    transcript.user_turn(
        text, started_at_ms=started_at_ms, ended_at_ms=ended_at_ms, now_ms=ended_at_ms
    )


def agent_turn(transcript: Transcript, text: str, *, interrupted: bool = False) -> None:
    transcript.agent_turn(
        text, started_at_ms=100, ended_at_ms=900, interrupted=interrupted, now_ms=950
    )


def segments(record: FakeRecord) -> list[tuple[str, str]]:
    return [
        (each.speaker, each.text) for each in record.facts if isinstance(each, TranscriptSegment)
    ]


def test_words_grow_on_the_page_under_one_number_and_are_recorded_once():
    record = FakeRecord()
    transcript = Transcript(record)
    transcript.user_words("hel", is_final=False, at_ms=10)
    transcript.user_words("Hello.", is_final=True, at_ms=20)
    transcript.user_words("It is", is_final=False, at_ms=30)
    transcript.user_words("It is me.", is_final=True, at_ms=40)
    user_turn(transcript, "Hello. It is me.", 5, 45)
    shown = [each for each in record.shown if isinstance(each, LiveTranscript)]
    assert [each.text for each in shown] == [
        "hel",
        "Hello.",
        "Hello. It is",
        "Hello. It is me.",
        "Hello. It is me.",
    ]
    assert {each.utterance for each in shown} == {0}
    assert [each.is_final for each in shown] == [False] * 4 + [True]
    assert record.facts == [
        TranscriptSegment(
            sequence=0,
            speaker="user",
            text="Hello. It is me.",
            started_at_ms=5,
            ended_at_ms=45,
        )
    ]


def test_an_interrupted_agent_is_recorded_with_what_was_heard():
    record = FakeRecord()
    transcript = Transcript(record)
    transcript.agent_words("Let me ", at_ms=100)
    transcript.agent_words("explain", at_ms=300)
    agent_turn(transcript, "Let me explain", interrupted=True)
    assert record.facts == [
        TranscriptSegment(
            sequence=0,
            speaker="agent",
            text="Let me explain",
            started_at_ms=100,
            ended_at_ms=900,
            interrupted=True,
        )
    ]
    assert record.shown[-1] == Interrupted(at_ms=900)


def test_both_sides_are_numbered_together():
    record = FakeRecord()
    transcript = Transcript(record)
    agent_turn(transcript, "Hello?")
    user_turn(transcript, "Hello.", 1000, 1500)
    agent_turn(transcript, "Goodbye.")
    assert [each.sequence for each in record.facts] == [0, 1, 2]


def test_words_that_nobody_answered_are_kept_as_a_segment_of_their_own():
    record = FakeRecord()
    transcript = Transcript(record)
    transcript.user_words("Stop that.", is_final=True, at_ms=10)
    transcript.user_words("What is the price?", is_final=True, at_ms=500)
    user_turn(transcript, "What is the price?", 400, 600)
    assert segments(record) == [("user", "Stop that."), ("user", "What is the price?")]


def test_a_turn_whose_text_was_changed_is_recorded_once():
    record = FakeRecord()
    transcript = Transcript(record)
    transcript.user_words("twenty two", is_final=True, at_ms=10)
    user_turn(transcript, "22", 5, 20)
    transcript.close(now_ms=100)
    assert segments(record) == [("user", "22")]


def test_last_words_before_the_hang_up_are_recorded():
    record = FakeRecord()
    transcript = Transcript(record)
    transcript.agent_words("Good", at_ms=5)
    transcript.user_words("Bye then.", is_final=True, at_ms=10)
    transcript.user_words("and", is_final=False, at_ms=20)
    transcript.close(now_ms=50)
    transcript.close(now_ms=60)
    assert segments(record) == [("agent", "Good"), ("user", "Bye then.")]


def test_a_silent_turn_is_no_segment():
    record = FakeRecord()
    transcript = Transcript(record)
    agent_turn(transcript, "  ")
    assert record.facts == []


def test_without_permission_nothing_is_kept_but_the_page_still_shows_it():
    record = FakeRecord()
    transcript = Transcript(record, keep=False)
    user_turn(transcript, "Secret.", 0, 10)
    assert record.facts == []
    assert [each.type for each in record.shown] == ["transcript"]
