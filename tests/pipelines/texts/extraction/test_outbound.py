from __future__ import annotations

import pytest

from pipelines.texts.extraction.outbound import is_outbound, outbound_lines


@pytest.mark.parametrize(
    "prompt",
    [
        "This is an outbound call.",
        "You are calling {{name}} about a bill.",
        "Call customers who have not paid.",
        "An agent that calls leads.",
        "You call homeowners about solar panels.",
        "You are calling patients to remind them.",
        "It follows up with prospects.",
        "Contact subscribers about the renewal.",
        "Cold calling for a bank.",
        "You will be calling the customer.",
        "An assistant that phones donors.",
    ],
)
def test_these_agents_call_people(prompt: str) -> None:
    assert is_outbound(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "Answers calls for a clinic.",
        "Take calls and ask for a callback number.",
        "When a guest calls, greet them.",
        "Tell them to call us again.",
        "Call center for Acme.",
    ],
)
def test_these_are_called(prompt: str) -> None:
    assert not is_outbound(prompt)


@pytest.mark.parametrize(
    ("prompt", "asks_for", "business"),
    [
        (
            "You are calling {{customer_name}} about an overdue invoice of {{amount}}.",
            "Am I speaking with {{customer_name}}?",
            "I'm calling about your overdue invoice of {{amount}}.",
        ),
        (
            "Call {{ first_name }} regarding their recent order.",
            "Am I speaking with {{ first_name }}?",
            "I'm calling about your recent order.",
        ),
        (
            "You call customers about an unpaid bill and ask when they can pay.",
            "",
            "I'm calling about your unpaid bill.",
        ),
        ("You are calling {{name}} for {{company_name}}.", "Am I speaking with {{name}}?", ""),
        (
            "You are calling {{lead.name}} about {{product}}.",
            "Am I speaking with {{lead.name}}?",
            "I'm calling about {{product}}.",
        ),
    ],
)
def test_whom_it_asks_for_and_what_it_calls_about(
    prompt: str, asks_for: str, business: str
) -> None:
    lines = outbound_lines(prompt)
    assert (lines.asks_for or "", lines.business) == (asks_for, business)


def test_the_invoice_and_the_amount_are_stated_wherever_the_prompt_has_them() -> None:
    said = outbound_lines(
        "You are calling {{debtor_name}} about an overdue payment. Invoice: {{invoice_no}}. "
        "They owe {{total_amount}}, due since {{due_date}}."
    ).business
    assert all(name in said for name in ("{{invoice_no}}", "{{total_amount}}", "{{due_date}}"))
