from __future__ import annotations

from uuid import UUID

from contracts.live_messages import (
    AgentStateChanged,
    CallInProgress,
    Interrupted,
    LiveBody,
    LiveTranscript,
    ParticipantStateChanged,
    ToolUsed,
    TurnLatency,
    UserStateChanged,
)
from contracts.live_replay import positions_to_replay

ADA, BO = UUID(int=1), UUID(int=2)


def words(utterance: int, text: str, *, is_final: bool = False) -> LiveTranscript:
    return LiveTranscript(
        utterance=utterance, speaker="user", text=text, is_final=is_final, at_ms=0
    )


def told(*bodies: LiveBody) -> list[LiveBody]:
    return [bodies[position] for position in positions_to_replay(bodies)]


def test_of_a_growing_utterance_the_newest_is_told() -> None:
    final = words(0, "Hello there.", is_final=True)
    assert told(words(0, "Hel"), words(0, "Hello"), final) == [final]


def test_utterances_stay_in_the_order_of_their_newest_words() -> None:
    first, second = words(0, "One.", is_final=True), words(1, "Two.", is_final=True)
    assert told(words(0, "O"), first, words(1, "T"), second) == [first, second]


def test_of_each_state_the_newest_is_told() -> None:
    thinking, speaking = AgentStateChanged(state="thinking"), AgentStateChanged(state="speaking")
    listening = UserStateChanged(state="listening")
    assert told(thinking, listening, speaking) == [listening, speaking]


def test_each_participant_has_a_state_of_its_own() -> None:
    ada = ParticipantStateChanged(participant_id=ADA, state="connected")
    bo = ParticipantStateChanged(participant_id=BO, state="connected")
    ada_left = ParticipantStateChanged(participant_id=ADA, state="left")
    assert told(ada, bo, ada_left) == [bo, ada_left]


def test_what_happened_once_is_told_again() -> None:
    bodies = (
        CallInProgress(),
        TurnLatency(utterance=1, end_to_end_ms=400),
        ToolUsed(name="book", is_error=False),
        ToolUsed(name="book", is_error=False),
    )
    assert told(*bodies) == list(bodies)


def test_an_interruption_is_of_the_moment() -> None:
    assert told(Interrupted(at_ms=5)) == []
