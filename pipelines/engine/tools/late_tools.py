"""Tools that are still at work when another agent takes over from theirs, or when the call ends.

The engine would wait for all of them before the next agent begins, and the caller would hear
nothing meanwhile, or before the session is closed. What we use of its private parts against that
stands here: the executor of an agent's tools, which belongs to the agent's activity or to the whole
session. ``tests/pipelines/engine/tools/test_late_tools.py`` fails if an upgrade changes it.
"""

from __future__ import annotations

from livekit.agents import Agent
from livekit.agents.voice.tool_executor import _ToolExecutor


class LateTools:
    """Of one call. Close it after the session."""

    def __init__(self) -> None:
        self._executors: list[_ToolExecutor] = []

    def go_on_without(self, agent: Agent, *, next_agent_answers: bool) -> None:
        """``agent`` is about to leave the call, and nobody waits for its tools.

        Args:
            next_agent_answers: it knows what they return, and tells the caller. Otherwise that is
                only recorded, unless the call is over.
        """
        activity = agent._activity
        if activity is None:
            return
        executor = activity._tool_executor
        options = executor._tool_options
        activity._tool_executor = _ToolExecutor(
            owning_activity=activity, async_tool_options=options
        )
        if next_agent_answers:
            executor.set_owning_activity(None)
        self._executors.append(executor)

    async def aclose(self) -> None:
        """Cancel those that are still at work."""
        while self._executors:
            await self._executors.pop().aclose()
