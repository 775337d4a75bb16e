import pytest

from pipelines.playbook.triggers import Response, strongest, trigger
from pipelines.playbook.values.phrase import phrase

_RESPONSES = (
    Response(trigger("too expensive, the price"), "price"),
    Response(trigger("fear of pain, afraid of the dentist"), "fear"),
    Response(trigger("The caller wants to think about it and call back later"), "later"),
    Response(trigger("not interested"), "interest"),
    Response(trigger("Already has another provider"), "competitor"),
)


@pytest.mark.parametrize(
    ("said", "response"),
    [
        ("Wait, how much does it cost?", "price"),
        ("isn't that expensive", "price"),
        ("I can't afford that", "price"),
        ("that's too much money", "price"),
        ("does it hurt", "fear"),
        ("I'm a little afraid of the dentist", "fear"),
        ("i am scared", "fear"),
        ("let me think about it", "later"),
        ("I'm not interested", "interest"),
        ("we already work with somebody else", "competitor"),
    ],
)
def test_objections_are_recognised_by_other_words_too(said: str, response: str) -> None:
    found = strongest(_RESPONSES, phrase(said), 0.5)
    assert found is not None
    assert found.text == response


@pytest.mark.parametrize(
    "said",
    [
        "",
        "I need to see a dentist",
        "I'm afraid Tuesday doesn't work",
        "I think Wednesday is better",
        "thank you very much",
        "my name is Anna",
    ],
)
def test_ordinary_sentences_are_no_objections(said: str) -> None:
    assert strongest(_RESPONSES, phrase(said), 0.5) is None
