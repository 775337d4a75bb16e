"""Which kinds of tools the media workers of this build can run. Free of the engine."""

from __future__ import annotations

from contracts.tool_bindings import ToolType

RUN_BY_WORKERS: frozenset[ToolType] = frozenset({"end_call"})
"""``pipelines.engine.call_agent`` gives these to the language model."""
NEED_NO_TOOL_CALLS: frozenset[ToolType] = frozenset({"end_call"})
"""The playbook engine, which calls no tools, does these by itself."""
