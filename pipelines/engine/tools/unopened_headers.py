"""What a call's log says of a tool whose secret headers cannot be decrypted."""

from __future__ import annotations

from contracts.tool_bindings import CallWebhook, Mcp
from pipelines.engine.call_actions import CallActions


def log_not_opened(tool: CallWebhook | Mcp, actions: CallActions) -> None:
    actions.log(
        "error",
        f"The headers of the tool {tool.name} cannot be decrypted with the keys of "
        "this worker: it was not called.",
    )
