import pytest

from pipelines.playbook.values.emails import find_emails
from pipelines.playbook.values.phrase import phrase


@pytest.mark.parametrize(
    ("said", "address"),
    [
        ("it's anna dot smith at gmail dot com", "anna.smith@gmail.com"),
        ("my email is Anna.Smith@gmail.com please", "anna.smith@gmail.com"),
        ("a n n a underscore s at my company dot co dot uk", "anna_s@mycompany.co.uk"),
        ("yes bob at example.org", "bob@example.org"),
        ("all lowercase anna at gmail dot com", "anna@gmail.com"),
        ("anna smith, all one word, at gmail dot com", "annasmith@gmail.com"),
        ("well, capital A n n a at gmail dot com", "anna@gmail.com"),
        ("no reply at example dot com", "noreply@example.com"),
        ("anna plus news at gmail dot com", "anna+news@gmail.com"),
        ("it's anna.smith at gmail.com", "anna.smith@gmail.com"),
        ("anna-smith@my-company.com, please", "anna-smith@my-company.com"),
        ("anna-smith at my-company.com", "anna-smith@my-company.com"),
        ("you can use j dash doe at example dot com", "j-doe@example.com"),
    ],
)
def test_an_address_is_read_typed_and_dictated(said: str, address: str) -> None:
    assert [found.value for found in find_emails(phrase(said))] == [address]


@pytest.mark.parametrize(
    "said", ["", "at three", "I am at home", "meet me at the clinic", "I can come at 3.30"]
)
def test_what_is_no_address_is_left_alone(said: str) -> None:
    assert find_emails(phrase(said)) == []


def test_an_address_is_spoken_with_its_signs() -> None:
    spoken = find_emails(phrase("anna.smith@gmail.com"))[0].spoken
    assert spoken == "anna dot smith at gmail dot com"
