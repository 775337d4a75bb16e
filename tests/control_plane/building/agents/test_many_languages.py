"""Resolving the stacks of 200 languages takes a third of a second of the processor, so the event
loop, which serves everybody else, does not do it."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from control_plane.building.agent_builder import stack_hints
from control_plane.building.agents import stacks
from pipelines.stack import resolve_stack
from tests.control_plane.conftest import TenantClient

LANGUAGES = ["en-US", "en-GB"]
AGENT = {"name": "Nora", "language": "en-US", "supported_languages": LANGUAGES}
REQUESTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "create": ("POST", "/v1/agents", AGENT),
    "draft": ("POST", "/v1/agents/draft", AGENT),
    "update": ("PATCH", "/v1/agents/{id}", {"supported_languages": [*LANGUAGES, "en-IN"]}),
    "tools": ("GET", "/v1/agents/{id}/tool-capabilities", {}),
    "publish": ("POST", "/v1/agents/{id}/publish", {}),
    "roll back": ("POST", "/v1/agents/{id}/versions/1/roll-back", {"restore_draft": True}),
    "preview": ("POST", "/v1/agents/stack-preview", {"supported_languages": LANGUAGES}),
    "generate": (
        "POST",
        "/v1/agents/generate",
        {"prompt": "Call her Eva.", "mode": "edit", "current_config": AGENT},
    ),
    "apply changes": (
        "POST",
        "/v1/agents/apply-changes",
        {"currentConfig": AGENT, "changes": [{"key": "opener", "value": "Hello!"}]},
    ),
}


@pytest.fixture
def resolving(monkeypatch: pytest.MonkeyPatch) -> list[threading.Thread]:
    """The threads that have resolved a stack."""
    threads = []

    def noted(*given: Any) -> Any:
        threads.append(threading.current_thread())
        return resolve_stack(*given)

    for module in (stacks, stack_hints):
        monkeypatch.setattr(module, "resolve_stack", noted)
    return threads


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
async def test_the_event_loop_resolves_no_stacks(
    tenant: TenantClient,
    resolving: list[threading.Thread],
    request_: tuple[str, str, dict[str, Any]],
) -> None:
    agent_id = await tenant.published_agent(**AGENT)
    resolving.clear()
    method, path, body = request_
    answer = await tenant.request(method, path.format(id=agent_id), json=body)
    assert answer.is_success, answer.text
    assert resolving
    assert threading.current_thread() not in resolving
