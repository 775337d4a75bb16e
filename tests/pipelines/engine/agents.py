"""The agent of a call as a session builds it."""

from __future__ import annotations

from datetime import datetime

from contracts.call_plan import CallPlan
from outbound.guarded_network import GuardedNetwork
from outbound.policy import OutboundPolicy
from pipelines.engine.barge_in import BargeIn
from pipelines.engine.call_actions import CallActions
from pipelines.engine.call_agent import CallAgent
from pipelines.engine.overlapping_speech import OverlappingSpeech
from pipelines.engine.tools.call_tools import CallTools
from pipelines.settings import ProviderSettings
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.plans import call_plan


def call_agent(
    plan: CallPlan | None = None,
    actions: CallActions | None = None,
    now: datetime | None = None,
) -> CallAgent:
    plan, actions = plan or call_plan(), actions or NotedActions()
    network = GuardedNetwork(OutboundPolicy())
    tools = CallTools(plan, ProviderSettings(), network, actions).of_engine()
    return CallAgent(plan, actions, tools, OverlappingSpeech(BargeIn()), now=now)
