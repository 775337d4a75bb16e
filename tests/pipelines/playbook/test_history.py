from pipelines.playbook.history import Folding, Turn, fold
from tests.pipelines.playbook.agents import dental_clinic, policy

_CLINIC = policy(dental_clinic())
_OPENER = Turn("agent", _CLINIC.plan.opener)


def _said(*texts: str, cut_to: int | None = None) -> list[Turn]:
    """The opener, and then caller and agent in turn; the agent's last words cut to some words."""
    turns = [_OPENER]
    for i, text in enumerate(texts):
        turns.append(Turn("caller", text))
        reply = fold(_CLINIC, turns).reply.text
        is_cut = cut_to is not None and i == len(texts) - 1
        heard = " ".join(reply.split()[:cut_to]) if is_cut else reply
        turns.append(Turn("agent", heard, is_interrupted=is_cut))
    return turns


def _answer(turns: list[Turn], said: str) -> str:
    return fold(_CLINIC, [*turns, Turn("caller", said)]).reply.text


def test_the_same_history_gives_the_same_reply() -> None:
    turns = [*_said("hi", "no"), Turn("caller", "Anna Smith")]
    assert fold(_CLINIC, turns) == fold(_CLINIC, turns)


def test_a_history_that_grows_is_folded_as_if_it_were_new() -> None:
    """Also when an early request lacks the agent's latest words, or they change afterwards."""
    turns = [*_said("hi", "no", "Anna Smith", "how much does it cost"), Turn("caller", "monday")]
    cut = [*turns[:-2], Turn("agent", "It", is_interrupted=True), Turn("caller", "tuesday")]
    folding = Folding(_CLINIC)
    histories = [*(turns[:length] for length in range(len(turns) + 1)), cut, turns, turns[:3], []]
    assert [folding.dialogue(each) for each in histories] == [
        fold(_CLINIC, each) for each in histories
    ]


def test_a_question_that_was_not_heard_is_asked_again_without_blame() -> None:
    turns = _said("hi", "no", "how much does it cost", cut_to=4)
    answer = _answer(turns, "okay wow well there you see")
    assert "name" in answer
    assert "catch" not in answer
    assert "sorry" not in answer.lower()


def test_an_interrupting_answer_counts() -> None:
    turns = _said("hi", "no", "how much does it cost", cut_to=4)
    assert _answer(turns, "That is fine. My name is Emma Wilson.").startswith("Emma Wilson")


def test_a_yes_before_the_question_was_heard_is_no_answer_to_it() -> None:
    turns = _said("hi", cut_to=1)
    assert "clinic before?" in _answer(turns, "yes")


def test_a_yes_to_a_summary_that_was_not_heard_confirms_nothing() -> None:
    whole = _said("hi", "no", "Anna Smith", "monday", "at nine")
    cut = _said("hi", "no", "Anna Smith", "monday", "at nine", cut_to=3)
    assert "noted" in _answer(whole, "yes")
    assert "Anna Smith" in _answer(cut, "yes")


def test_a_sentence_in_two_pieces_is_one_when_no_reply_came_between() -> None:
    turns = [*_said("hi", "no"), Turn("caller", "my name is"), Turn("caller", "Anna Smith")]
    conversation = fold(_CLINIC, turns)
    assert conversation.reply.slots == {"name": "Anna Smith"}
    assert len(conversation.settled_replies) == 2


def test_what_is_not_yet_heard_is_not_settled() -> None:
    turns = [*_said("hi", "no"), Turn("caller", "Anna Smith")]
    assert fold(_CLINIC, turns).settled_replies[-1].slots == {}
    assert fold(_CLINIC, _said("hi", "no", "Anna Smith")).settled_replies[-1].slots == {
        "name": "Anna Smith"
    }


def test_words_of_the_platform_are_no_turn() -> None:
    turns = [*_said("hi"), Turn("agent", "Are you still there?")]
    assert "clinic before?" in _answer(turns, "yes")
    assert "name" in _answer(turns, "no, I have not been there")


def test_without_words_of_the_caller_the_open_question_is_asked() -> None:
    assert "clinic before?" in fold(_CLINIC, _said("hi")).reply.text
    assert fold(_CLINIC, []).reply.text == _CLINIC.plan.opener
