"""What a call uses of this machine's own models is imported before it uses it."""

from __future__ import annotations

import subprocess
import sys

IMPORTED_BY_THE_FIRST_PLAYBOOK = """
import asyncio, sys
from livekit.agents import llm
from pipelines.engine.providers.local.provider import LOCAL
from pipelines.engine.providers.registry import import_providers
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.plans import call_plan

asyncio.run(import_providers([LOCAL]))
from pipelines.engine.providers.spec import ModelRequest
plan = call_plan()
before = set(sys.modules)
primary = plan.stack.llm.primary
request = ModelRequest(plan=plan, choice=primary, models=None, actions=NotedActions())
said = llm.ChatContext.empty()
said.add_message(role="user", content="I would like to book a table for two.")
LOCAL.llm(request).respond(said)
print(sorted(each for each in set(sys.modules) - before if each.startswith("pipelines")))
"""


def test_the_first_answer_of_the_playbook_imports_nothing() -> None:
    """It would hold up the audio of all calls for a tenth of a second."""
    command = [sys.executable, "-c", IMPORTED_BY_THE_FIRST_PLAYBOOK]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ran.stdout.strip() == "[]", ran.stderr
