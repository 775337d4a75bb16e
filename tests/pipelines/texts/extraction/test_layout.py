from __future__ import annotations

import pytest

from pipelines.texts.extraction.layout import layout_of


@pytest.mark.parametrize(
    "prompt",
    [
        "Q: Is there parking?\nA: Yes, behind the house.",
        "Q: Is there parking? A: Yes, behind the house.",
        "- Q) Is there parking?\n- A) Yes, behind the house.",
        "Question: Is there parking?\nAnswer: Yes, behind the house.",
        "**Q: Is there parking?**\n**A:** Yes, behind the house.",
        "# FAQ\nIs there parking? Yes, behind the house.",
        "# FAQ\n- Is there parking?\n  Yes, behind the house.",
        "# FAQ\n**Is there parking?**\nYes, behind the house.",
        "### Is there parking?\n\nYes, behind the house.",
        "# FAQ\n| Question | Answer |\n|---|---|\n| Is there parking? | Yes, behind the house. |",
        "# Common questions\n1. Is there parking? -> Yes, behind the house",
        'FAQ:\n"Is there parking?" - "Yes, behind the house."',
        "You are Mia. Is there parking? Yes, behind the house. Be kind.",
    ],
)
def test_a_faq_in_any_form_is_a_question_with_its_answer(prompt: str) -> None:
    [answer] = layout_of(prompt).answers
    assert (answer.asked, answer.said) == ("Is there parking?", "Yes, behind the house.")
    assert "parking" not in layout_of(prompt).text


@pytest.mark.parametrize(
    "prompt",
    [
        "# Questions to ask\n- Do you own your home?\n- Do you have pets?",
        "Ask: Do you own your home? Then ask for the name.",
        "Do you own your home?",
        "# FAQ\n- Do they want a refund? Ask for the order number.",
        "# Steps\n1. Have you been here before? If yes, skip to step 3.",
        "# Details to collect\nWhat is your budget?\nWhat is your name?",
    ],
)
def test_what_the_agent_asks_is_no_faq(prompt: str) -> None:
    assert layout_of(prompt).answers == []


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("- Margherita: $12", "Margherita is $12."),
        ("Pepperoni ..... $14", "Pepperoni is $14."),
        ("Calzone $15", "Calzone is $15."),
        ("* Oil change - 59 dollars", "Oil change is 59 dollars."),
        ("1. Day pass: from €15", "Day pass is from €15."),
        ("Mon-Fri: 9am-5pm", "We are open Monday to Friday from 9am to 5pm."),
        ("Sat 10:00 - 14:00", "We are open on Saturday from 10:00 to 14:00."),
        ("Sunday: closed", "We are closed on Sunday."),
        ("- Tue & Thu: 8-12", "We are open on Tuesday and Thursday from 8 to 12."),
        ("Daily: 7am to 11pm", "We are open Daily from 7am to 11pm."),
    ],
)
def test_rows_of_lists_become_sentences(line: str, fact: str) -> None:
    layout = layout_of(line)
    assert layout.facts == [fact]
    assert layout.text == ""


@pytest.mark.parametrize(
    "line",
    [
        "A deposit costs $50 if they cancel.",
        "If they ask for the price: say $50.",
        "Ask: how much? $50",
        "Call us on Monday at 9",
    ],
)
def test_sentences_are_no_rows(line: str) -> None:
    assert layout_of(line).facts == []


def test_a_table_says_what_its_head_says() -> None:
    table = "| Service | Price | Duration |\n|---|---|---|\n| Check-up | $120 | 30 min |"
    assert layout_of(table).facts == [
        "The price of Check-up is $120.",
        "The duration of Check-up is 30 min.",
    ]


def test_a_menu_can_be_asked_for() -> None:
    [menu] = layout_of("# Menu\n- Soup: $5\n- Salad: $7\n- Tea: $2").answers
    assert menu.said == "We have Soup, Salad and Tea."


@pytest.mark.parametrize(
    "sentence",
    [
        "You answer calls for Acme Dental, we are at 5 King Street.",
        "You answer calls for Acme Dental and we are at 5 King Street.",
        "You answer calls for Acme Dental - we're at 5 King Street",
    ],
)
def test_an_address_in_passing_is_a_fact(sentence: str) -> None:
    layout = layout_of(sentence)
    assert [fact.endswith("at 5 King Street.") for fact in layout.facts] == [True]
    assert layout.text == "You answer calls for Acme Dental."


@pytest.mark.parametrize(
    "prompt",
    [
        "# Goal\nSell.",
        "[Goal]\nSell.",
        "GOAL\nSell.",
        "**Goal**\nSell.",
        "<goal>\nSell.\n</goal>",
        "Goal:\nSell.\nRules:\nNever lie.",
    ],
)
def test_headings_make_a_document(prompt: str) -> None:
    assert layout_of(prompt).is_document


@pytest.mark.parametrize("prompt", ["Sell cars.", "Ask for:\n- name\n- phone", ""])
def test_running_text_is_no_document(prompt: str) -> None:
    assert not layout_of(prompt).is_document
