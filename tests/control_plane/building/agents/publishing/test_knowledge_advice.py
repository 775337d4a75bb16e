"""What publishing says about web pages whose text the prompt lacks."""

from __future__ import annotations

from typing import Any

import pytest

from contracts.agent_config import AgentConfig
from control_plane.building.agents.knowledge.pages import MOST_CHARACTERS_OF_PAGE, KnowledgePage
from control_plane.building.agents.publishing.knowledge_advice import knowledge_advice

URL = "https://bella.example/menu"
FULL = "x" * MOST_CHARACTERS_OF_PAGE


def agent(*passages: str, **fields: Any) -> AgentConfig:
    return AgentConfig.model_validate(
        {"name": "Desk", "persona": {"knowledgeBase": passages}, **fields}
    )


def page(**fields: Any) -> KnowledgePage:
    return KnowledgePage(**{"address": URL, **fields})


@pytest.mark.parametrize(
    ("pages", "code", "said"),
    [
        ((), "page_missing", "It was not fetched yet."),
        ((page(problem="The website cannot be reached."),), "page_missing", "cannot be reached"),
        (
            (page(address="a", text=FULL), page(address="b", text=FULL), page(text="Pizza.")),
            "page_missing",
            "The pages before it take up the 40000 characters",
        ),
        ((page(text="Pizza.", problem="Status 500."),), "page_outdated", "Status 500."),
        ((page(text="Pizza.", is_cut=True),), "page_cut", "the first 6 characters"),
        (
            (page(address="a", text=FULL), page(address="b", text="x"), page(text=FULL)),
            "page_cut",
            "the first 19999 characters",
        ),
    ],
)
def test_a_page_is_named_with_what_is_wrong(
    pages: tuple[KnowledgePage, ...], code: str, said: str
) -> None:
    [finding] = knowledge_advice(agent("We have parking.", URL, URL), pages)
    assert (finding.code, finding.field) == (code, "persona.knowledgeBase[1]")
    assert URL in finding.message
    assert said in finding.message
    assert finding.fix


def test_nothing_is_said_of_a_page_that_is_in_the_prompt() -> None:
    assert (
        list(knowledge_advice(agent(URL, "See https://x.example."), (page(text="Pizza."),))) == []
    )


def test_nothing_is_said_where_the_prompt_has_no_knowledge_base() -> None:
    raw = agent(URL, system_prompt="Be kind.", advanced={"prompt_mode": "raw"})
    assert list(knowledge_advice(raw, ())) == []
