"""Which tools a language model is offered, before any of them is used."""

from __future__ import annotations

from typing import Any

import pytest

from contracts.agent_config import AgentConfig
from outbound.guarded_network import GuardedNetwork
from outbound.policy import OutboundPolicy
from pipelines.engine.tools.call_tools import CallTools
from pipelines.settings import ProviderSettings
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.engine.knowledge.sources import WIFI, lookup
from tests.pipelines.plans import call_plan

SEARCH: dict[str, Any] = {"type": "search_knowledge"}
WEBHOOK = {
    "type": "call_webhook",
    "name": "search_knowledge",
    "description": "Asks our own search.",
    "url": "https://search.example.com",
}
DESK = {"type": "transfer", "name": "to_desk", "description": "Reaches the desk."}


def offered(*tools: dict[str, Any]) -> list[str]:
    """To the model of an agent with a knowledge source."""
    agent = AgentConfig.model_validate({"name": "Ada", "tools": list(tools)})
    actions, network = NotedActions(), GuardedNetwork(OutboundPolicy())
    knowledge = lookup(actions, WIFI)
    made = CallTools(
        call_plan(agent), ProviderSettings(), network, actions, knowledge=knowledge
    ).of_engine()
    return [tool.id for tool in made]


@pytest.mark.parametrize("binding", [SEARCH, SEARCH | {"name": "look_up"}])
def test_a_binding_that_does_not_run_takes_nothing_away(binding: dict[str, Any]) -> None:
    assert offered(binding) == offered() == ["end_call", "search_knowledge"]


def test_a_tool_of_the_agents_own_goes_before_ours_of_the_same_name() -> None:
    assert offered(WEBHOOK) == ["end_call", "search_knowledge"]


def test_only_phones_can_be_called() -> None:
    assert "to_desk" in offered(DESK | {"to": "+14155550100"})
    assert "to_desk" not in offered(DESK | {"to": "sip:desk@example.com"})
