import pytest

from pipelines.playbook.values.person_names import find_names
from pipelines.playbook.values.phrase import phrase


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("my name is anna smith", "Anna Smith"),
        ("That is fine. My name is Emma Wilson.", "Emma Wilson"),
        ("uh my name's O'Brien", "O'Brien"),
        ("sure my name is Sarah and I'd like to come on Tuesday", "Sarah"),
        ("I'm Jane Doe and I'd like Tuesday", "Jane Doe"),
        ("Put it under Garcia", "Garcia"),
        ("Hello, this is Mrs. Johnson.", "Mrs Johnson"),
        ("you can call me bob", "Bob"),
        ("peter van der berg speaking", "Peter van der Berg"),
    ],
)
def test_an_introduced_name_is_found_unasked(said: str, name: str) -> None:
    assert [found.value for found in find_names(phrase(said), expected=False)] == [name]


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Sarah Connor,", "Sarah Connor"),
        ("sarah connor", "Sarah Connor"),
        ("Its Peter Johnson.", "Peter Johnson"),
        ("uh john mcdonald please", "John Mcdonald"),
        ("yes sure it is Anna", "Anna"),
        ("Smith. S-M-Y-T-H.", "Smyth"),
        ("anna smith thats s m y t h", "Anna Smyth"),
        ("J O N A S", "Jonas"),
        ("Mr. Smith.", "Mr Smith"),
        ("This is Dr. Jane Miller. I need help.", "Dr Jane Miller"),
        ("that would be Maria de la Cruz thanks", "Maria de la Cruz"),
        ("Adébáyọ̀ Okafor", "Adébáyọ̀ Okafor"),
        ("First name Anna, last name Smith", "Anna Smith"),
        ("my surname is S M Y T H and my first name is Anna", "Anna Smyth"),
    ],
)
def test_a_name_that_was_asked_for_needs_no_introduction(said: str, name: str) -> None:
    assert [found.value for found in find_names(phrase(said), expected=True)] == [name]


@pytest.mark.parametrize(
    "said",
    [
        "It is for my son.",
        "its for my wife",
        "",
        "i don't know",
        "what do you mean",
        "i am afraid of pain",
        "no that's wrong",
        "I'm calling to book an appointment",
        "how much does it cost",
        "yes please",
        "hello",
        "that's incorrect",
        "Mr.",
        "don't call me before ten",
        "nope",
        "whatever",
        "not sure",
        "no idea",
        "dunno",
    ],
)
def test_sentences_without_a_name_give_none(said: str) -> None:
    assert find_names(phrase(said), expected=True) == []
