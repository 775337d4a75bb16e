"""Broken arguments of tool calls, as language models send them, on all their ways to a tool.

A model's text is read by the supervised channel, a realtime model's by the engine alone, which
mends broken JSON, and a chat's by the control plane. Behind that, the tools of a call check the
arguments and act on them, and each use is recorded.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection
from dataclasses import dataclass
from random import Random
from typing import Any

import httpx2
from livekit.agents import FunctionToolsExecutedEvent, llm
from livekit.agents.llm.utils import parse_function_arguments

from contracts.agent_config import AgentConfig
from contracts.events import ToolCalled
from contracts.versions import read_json
from control_plane.calling.chat_sessions.completions import Answer, wanted_tools
from pipelines.engine.channels.llm.llm_attempt import _says_something
from pipelines.engine.channels.model_failure import ModelFailed
from pipelines.engine.tools.call_tools import CallTools
from pipelines.settings import ProviderSettings
from pipelines.webhooks.argument_faults import fault_of_arguments
from runtime.conversation.tool_outcomes import ToolOutcomes
from schema_sandbox.sandbox import schema_sandbox
from tests.fuzz.mutation import ODD_TEXTS, mutated_json
from tests.fuzz.outcome import Outcome, no_error_unhandled
from tests.fuzz.own_time import own_ms
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.plans import call_plan

LONGEST_MS = 1_000.0
"""With the way to the process that checks schemas, and back, on a busy machine."""
DEEP = (10, 150, 199, 255, 900, 5_000)
NUMBERS = ("9" * 400, "9" * 5_000, "-0", "1e999", "-1e999", "1e-999", "NaN", "Infinity", "0x1F")
LONG = (300, 5_000, 80_000)
"""Characters; an address may have 65,536."""
TABLE = {
    "type": "object",
    "properties": {
        "day": {"type": "string", "pattern": "^[A-Z][a-z]+$"},
        "date": {"type": "string", "format": "date"},
        "guests": {"type": "integer", "minimum": 1},
        "price": {"type": "number", "multipleOf": 0.01},
        "note": {"type": "string"},
        "wishes": {"$ref": "#/$defs/wishes"},
    },
    "required": ["day"],
    "$defs": {
        "wishes": {
            "type": ["array", "null"],
            "uniqueItems": True,
            "items": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/wishes"}]},
        }
    },
}
ANYTHING = {"type": "object", "additionalProperties": True}
SAMPLES = (
    '{"day": "Tuesday", "guests": 4}',
    '{"day": "Tuesday", "date": "2026-02-03", "price": 19.99, "wishes": ["window", ["quiet"]]}',
    '{"day": "Friday", "note": "For {{ name }}, with \\ud83d\\ude00 and a cake"}',
    '{"digits": "12#"}',
    '{"summary": "Wants a table for twenty."}',
    "{}",
    "",
)


class _Unusable(Exception):
    """The model's text is no object: it is told so, or another model is asked."""


async def fuzz_tool_arguments(dice: Random, count: int) -> Outcome:
    """Send ``count`` broken arguments: each use of a tool is done or refused with words, and soon.

    None ends the process that checks schemas: others of the same worker wait while it starts.
    """
    outcome = Outcome("tool arguments")
    network = _Network()
    actions = NotedActions()
    tools = CallTools(call_plan(_agent()), ProviderSettings(), network, actions)
    async with no_error_unhandled(outcome):
        user = _User(tools.of_engine())
        checking = await _started_check()
        while outcome.inputs < count:
            document = broken_arguments(dice, dice.choice(SAMPLES))
            began_at_ms = own_ms()
            try:
                outcome.taken += await user.use(dice, document)
            except _Unusable:
                pass
            except Exception as error:  # noqa: BLE001 - any other error is a fault
                outcome.faults.append(f"{error!r} from {document[:200]!r}")
            took_ms = own_ms() - began_at_ms
            outcome.longest_ms = max(outcome.longest_ms, took_ms)
            outcome.inputs += 1
            actions.transfers.clear()
            actions.digits.clear()
            if schema_sandbox().pid != checking:
                outcome.faults.append(f"the check of schemas ended with {document[:200]!r}")
                checking = await _started_check()
            outcome.note_memory(outcome.inputs / count)
        await tools.aclose()
    outcome.faults += network.faults
    if outcome.longest_ms > LONGEST_MS:
        outcome.faults.append(f"one use took {outcome.longest_ms:.0f} ms")
    outcome.close()
    return outcome


async def _started_check() -> int | None:
    await fault_of_arguments({}, TABLE)
    return schema_sandbox().pid


def broken_arguments(dice: Random, sample: str) -> str:
    """What comes for ``sample`` from a model that is weak, broken or talked into something."""
    match dice.randrange(10):
        case 0:
            depth = dice.choice(DEEP)
            opening, closing = dice.choice((("[", "]"), ('{"a":', "}")))
            inner = opening * depth + "1" + closing * dice.choice((depth, depth - 1))
            return _with_member(dice, sample, inner)
        case 1:
            return _with_member(dice, sample, dice.choice(NUMBERS))
        case 2:
            return sample[: dice.randint(0, len(sample))]
        case 3:
            return dice.choice((json.dumps(sample), f"```json\n{sample}\n```", f"<|call|>{sample}"))
        case 4:
            text = dice.choice(("a", "é", "\\ud800", "\\udc00\\ud800", "\\u0000", "\U0001f600"))
            return _with_member(dice, sample, f'"{text * (dice.choice(LONG) // len(text))}"')
        case 5:
            names = (f'"{dice.choice(ODD_TEXTS)[:20]}{number}": {number}' for number in range(500))
            return "{" + ", ".join(names) + "}"
        case 6:
            return dice.choice(("null", "[]", "7", '"day"', "[{}]", "\ud800", "\x00", "{" * 500))
        case _:
            changed = mutated_json(dice, sample or "{}")
            return changed if isinstance(changed, str) else changed.decode("utf-8", "replace")


def _with_member(dice: Random, sample: str, value: str) -> str:
    name = dice.choice(("day", "guests", "price", "note", "wishes", "digits", "summary", "k" * 999))
    return "{" + ", ".join(filter(None, (sample[1:-1], f'"{name}": {value}'))) + "}"


def _agent() -> AgentConfig:
    webhook = {"type": "call_webhook", "description": "Books.", "url": "https://a.example/x?b=c"}
    tools = [
        webhook | {"name": "post", "parameters": TABLE},
        webhook | {"name": "get", "method": "GET", "parameters": TABLE},
        webhook | {"name": "get_any", "method": "GET", "parameters": ANYTHING},
        webhook
        | {
            "name": "filled",
            "parameters": ANYTHING,
            "headers": {"X-Day": "{{ day }} {{ note }}"},
            "body": {"on": "{{ day }}", "all": ["{{ wishes }}", "for {{ guests }}: {{ price }}"]},
        },
        webhook | {"name": "nothing"},
        {"type": "send_dtmf", "name": "press", "description": "Presses."},
        {
            "type": "transfer",
            "name": "connect",
            "description": "Connects.",
            "to": "+14155550100",
            "mode": "warm",
        },
    ]
    return AgentConfig.model_validate({"name": "Ada", "tools": tools})


class _User:
    """Uses a tool as the engine does, and records it as a worker does."""

    def __init__(self, tools: Collection[llm.Tool]) -> None:
        self._tools = {
            tool.info.name: tool for tool in tools if isinstance(tool, llm.RawFunctionTool)
        }
        self._readers = (_of_model, _of_realtime_model, _of_chat)

    async def use(self, dice: Random, document: str) -> bool:
        """Whether the tool was used.

        Raises:
            _Unusable: no tool gets such arguments.
        """
        name = dice.choice(list(self._tools))
        arguments = dice.choice(self._readers)(name, document)
        call = llm.FunctionCall(call_id="1", name=name, arguments=json.dumps(arguments))
        try:
            said = await self._tools[name](arguments, _Context(call))
            output, is_error = str(said), False
        except llm.ToolError as error:
            output, is_error = error.message, True
        _record(call, output, is_error)
        return not is_error


def _of_model(name: str, document: str) -> dict[str, Any]:
    delta = llm.ChoiceDelta(
        role="assistant",
        tool_calls=[llm.FunctionToolCall(name=name, arguments=document, call_id="1")],
    )
    try:
        _says_something(llm.ChatChunk(id="1", delta=delta))
    except ModelFailed as failed:
        raise _Unusable from failed
    # The engine need not mend what was let through.
    return parse_function_arguments(document or "{}")


def _of_realtime_model(_name: str, document: str) -> dict[str, Any]:
    try:
        arguments = parse_function_arguments(document or "{}")
        json.dumps(arguments)
    # The engine refuses with a ValueError. The others end its task for tools, and with it the turn:
    # a limit of the engine, which only the vendors of realtime models can reach.
    except (ValueError, TypeError, RecursionError) as error:
        raise _Unusable from error
    return arguments


def _of_chat(name: str, document: str) -> dict[str, Any]:
    try:
        text = document.encode().decode()
    except UnicodeEncodeError as error:
        raise _Unusable from error  # No HTTP answer holds half of a character.
    call = {"id": "1", "function": {"name": name, "arguments": text}}
    answer = Answer.model_validate({"choices": [{"message": {"tool_calls": [call]}}]})
    (wanted,) = wanted_tools(answer, [name])
    return wanted.arguments


def _record(call: llm.FunctionCall, output: str, is_error: bool) -> None:
    recorded: list[ToolCalled] = []
    outcome = llm.FunctionCallOutput(
        call_id=call.call_id, name=call.name, output=output, is_error=is_error
    )
    ToolOutcomes(recorded.append, lambda _: 5).executed(
        FunctionToolsExecutedEvent(function_calls=[call], function_call_outputs=[outcome])
    )
    (event,) = recorded
    read_json(ToolCalled, event.model_dump_json())


@dataclass(frozen=True)
class _Context:
    """The part of the engine's ``RunContext`` that tools use, while nobody interrupts."""

    function_call: llm.FunctionCall

    @property
    def speech_handle(self) -> _Context:
        return self

    async def wait_if_not_interrupted(self, waiting: Collection[asyncio.Task[Any]]) -> None:
        await asyncio.wait(waiting)


class _Network:
    """A tenant's server in this process, which reads what it is sent."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def client(self, _tenant: str, *, timeout_seconds: float) -> httpx2.AsyncClient:
        transport = httpx2.MockTransport(self._answer)
        return httpx2.AsyncClient(transport=transport, timeout=timeout_seconds)

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        try:
            if request.content and not isinstance(json.loads(request.content), dict):
                self.faults.append(f"a body that is no object: {request.content[:200]!r}")
            request.url.params.multi_items()
        except ValueError as error:
            self.faults.append(f"{error!r} from {request.url!s:.200} {request.content[:200]!r}")
        return httpx2.Response(200, text="done")
