import pytest

from pipelines.playbook.values.phrase import phrase


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Um, I'm free at 3PM.", "im free at 3 pm"),
        ("I’m FREE — at 3 p.m.!", "im free at 3 pm"),
        ("the twenty-fourth of November", "the 24th of november"),
        ("three thirty", "3 30"),
        ("five five five oh one", "5 5 5 oh 1"),
        ("twenty twenty six", "20 26"),
        ("two hundred and fifty", "250"),
        ("uh huh", "yes"),
        ("$1,250", "1250 dollars"),
        ("...", ""),
        ("", ""),
    ],
)
def test_words_are_bare_and_numbers_are_digits(said: str, text: str) -> None:
    assert phrase(said).text == text


def test_words_in_use_are_out_of_reach_of_every_pattern() -> None:
    said = phrase("the twenty fourth at three")
    assert said.text == "the 24th at 3"
    assert said.without([1, 2]).text == "the | | at 3"


def test_spans_of_the_text_lead_back_to_the_words() -> None:
    said = phrase("on the twenty fourth of may please")
    start = said.text.index("24th")
    assert list(said.word_span(start, start + len("24th of may"))) == [2, 3, 4, 5]


def test_questions_are_told_by_mark_or_first_word() -> None:
    assert phrase("you have parking?").is_question
    assert phrase("where are you").is_question
    assert phrase("هل لديكم موقف؟").is_question
    assert phrase("有停车位吗？").is_question
    assert not phrase("I have no idea").is_question
