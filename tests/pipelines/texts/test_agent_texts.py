"""Which texts of an agent variables may stand in."""

from __future__ import annotations

from contracts.agent_config import AgentConfig
from pipelines.texts.agent_texts import fill_agent, needed_variables, template_faults

AGENT = AgentConfig.model_validate(
    {
        "name": "Reception",
        "tools": [
            {
                "type": "call_webhook",
                "name": "book",
                "description": "Books for {{ name }}.",
                "url": "https://example.com/{{name}}",
                "speak_while": "One moment, {{ name }}.",
            },
            {
                "type": "transfer",
                "name": "desk",
                "description": "To {{ team }}.",
                "to": "+14155550100",
                "message": "I put you through, {% if %}",
            },
        ],
    }
)


def test_what_is_said_of_tools_is_filled_in_and_where_they_lead_is_not() -> None:
    book, desk = fill_agent(AGENT, {"name": "Ada", "team": "sales"}).tools
    assert book.type == "call_webhook"
    assert book.description == "Books for Ada."
    assert book.speak_while == "One moment, Ada."
    assert book.url == "https://example.com/{{name}}"
    assert desk.description == "To sales."


def test_tools_need_variables_and_have_faults() -> None:
    assert needed_variables(AGENT) == {
        "name": "tools[0].description",
        "team": "tools[1].description",
    }
    assert [fault.field for fault in template_faults(AGENT)] == ["tools[1].message"]
