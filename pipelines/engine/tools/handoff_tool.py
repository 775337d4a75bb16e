"""The tool with which an agent lets another one take over the call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from livekit.agents import Agent, RunContext, function_tool, llm

from contracts.tool_bindings import NO_ARGUMENTS, Handoff
from pipelines.texts.templates.template import fill_template
from telemetry.metrics import TOOL_CALLS

HandOver = Callable[[Handoff], Awaitable[Agent]]
"""Says the tool's message to its end, and returns the agent that takes over. Raises ``ToolError``
if it cannot."""


def handoff_tool(tool: Handoff, variables: Mapping[str, object], hand_over: HandOver) -> llm.Tool:
    async def call(raw_arguments: dict[str, Any], context: RunContext[None]) -> Agent:
        try:
            # What was decided is not undone by a word of the caller: it would leave the agents
            # half exchanged.
            context.disallow_interruptions()
            await context.wait_for_playout()
            taking_over = await hand_over(tool)
        except (llm.ToolError, RuntimeError):
            TOOL_CALLS.labels("failed").inc()
            raise
        TOOL_CALLS.labels("done").inc()
        return taking_over

    schema = {
        "name": tool.name,
        "description": fill_template(tool.description, variables),
        "parameters": dict(NO_ARGUMENTS),
    }
    return function_tool(call, raw_schema=schema)
