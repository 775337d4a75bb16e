"""What an agent can do besides talking: its tool bindings, distinguished by ``type``.

``name`` is what the language model calls; names are unique within an agent. Headers may
hold secrets: wherever a binding is stored, their values are sealed (``contracts.sealing``).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self, get_args
from uuid import UUID

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StrictFloat,
    StrictInt,
    StringConstraints,
    Tag,
    WithJsonSchema,
    model_validator,
)

from contracts.clearable import Clearable
from contracts.list_limits import AtMostEntries

ToolType = Literal[
    "call_webhook", "handoff", "transfer", "end_call", "send_dtmf", "search_knowledge", "mcp"
]
TOOL_TYPES: tuple[ToolType, ...] = get_args(ToolType)
MAX_TOOLS = 50
MAX_KEYWORDS = 1_000
"""At the top of a JSON Schema. What it may hold in all is checked when it is saved."""
END_CALL = "end_call"
METHODS_WITH_BODY = ("POST", "PUT", "PATCH")
MAX_BODY_CHARACTERS = 32_768
MAX_BODY_DEPTH = 20

_CONFIG = ConfigDict(extra="forbid", frozen=True)

ToolName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
"""snake_case, up to 64 characters, which every provider of language models accepts."""
ToolDescription = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1024)
]
"""Tells the language model when to use the tool."""
SpokenLine = Annotated[str, StringConstraints(max_length=1000)]
HttpsAddress = Annotated[str, StringConstraints(pattern=r"^https://[^\s]+$", max_length=2048)]
HeaderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")]
PhoneNumberOrSipUri = Annotated[
    str,
    StringConstraints(
        pattern=r"^(\+[1-9][0-9]{6,14}|sips?:([A-Za-z0-9._~!$&'()*+,;=%-]+@)?"
        r"[A-Za-z0-9.-]+(:[0-9]{1,5})?)$",
        max_length=256,
    ),
]
TimeoutSeconds = Annotated[StrictFloat, Field(gt=0, le=30)]


class SealedText(BaseModel):
    """A secret as it is stored; ``hint`` is the part of it that may be shown."""

    model_config = _CONFIG
    sealed: str
    hint: str


HeaderValue = Annotated[
    Annotated[str, StringConstraints(max_length=4096), Tag("<text>")]
    | Annotated[SealedText, Tag("<sealed>")],
    Discriminator(
        lambda value: "<sealed>" if isinstance(value, dict | SealedText) else "<text>",
    ),
    WithJsonSchema({"type": "string", "maxLength": 4096, "examples": ["Bearer s3cr3t"]}),
]
"""Plain as its owner sends it, sealed as it is stored."""

Headers = Annotated[dict[HeaderName, HeaderValue], Field(max_length=20)]

JsonSchema = Annotated[dict[str, Any], AtMostEntries(MAX_KEYWORDS)]

NO_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}}


class CallWebhook(BaseModel):
    """Calls an HTTP API of the agent's owner with the arguments that the model fills in."""

    model_config = _CONFIG
    type: Literal["call_webhook"]
    name: ToolName
    description: ToolDescription
    url: HttpsAddress
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "POST"
    headers: Clearable[Headers] = Field(default_factory=dict)
    """Secret: reads return a mask, and sending the mask back keeps the value."""
    parameters: Clearable[JsonSchema] = Field(default_factory=lambda: dict(NO_ARGUMENTS))
    """JSON Schema of the arguments, which form an object."""
    body: JsonSchema | None = None
    """What is sent with POST, PUT and PATCH; ``null``: the arguments. ``{{ name }}`` in a string
    stands for an argument or a variable of the call. A string of nothing else becomes the value."""
    timeout_seconds: TimeoutSeconds = 10
    speak_while: SpokenLine | None = None
    """Said while waiting for the answer."""

    @model_validator(mode="after")
    def _check_body(self) -> Self:
        if self.body is None:
            return self
        if self.method not in METHODS_WITH_BODY:
            raise ValueError(f"{self.method} sends no `body`; leave it out, or use POST")
        if _depth(self.body) > MAX_BODY_DEPTH:
            raise ValueError(f"`body` may be nested at most {MAX_BODY_DEPTH} levels deep")
        if len(json.dumps(self.body)) > MAX_BODY_CHARACTERS:
            raise ValueError(f"`body` may have at most {MAX_BODY_CHARACTERS:,} characters")
        return self


class Handoff(BaseModel):
    """Hands the call over to another agent of the tenant."""

    model_config = _CONFIG
    type: Literal["handoff"]
    name: ToolName
    description: ToolDescription
    agent_id: UUID
    message: SpokenLine | None = None
    """Said before the other agent takes over."""


class Transfer(BaseModel):
    """Connects the caller to a person."""

    model_config = _CONFIG
    type: Literal["transfer"]
    name: ToolName
    description: ToolDescription
    to: PhoneNumberOrSipUri
    """An E.164 number or a SIP URI."""
    message: SpokenLine | None = None
    """Said before the call is transferred."""
    mode: Literal["cold", "warm"] = "cold"
    """``cold``: the caller is connected as soon as somebody answers. ``warm``: the agent first
    tells the person in private what the call is about; meanwhile the caller hears music."""
    summary: SpokenLine | None = None
    """What the agent tells the person in a warm transfer. ``null``: what the language model writes,
    or what the playbook has noted."""
    then: Literal["leave", "stay"] = "leave"
    """What the agent does once both are connected. If it stays, it goes on to listen and answer."""
    unreached_message: SpokenLine | None = None
    """Said to the caller if nobody was reached, and the agent goes on. ``null``: a sentence in the
    language of the call."""

    @property
    def is_to_a_phone(self) -> bool:
        """Only phones can be called."""
        return self.to.startswith("+")


class EndCall(BaseModel):
    """Hangs up. Every agent can do that; the description of this tool says when."""

    model_config = _CONFIG
    type: Literal["end_call"]
    name: Literal["end_call"] = "end_call"
    description: ToolDescription = "End the call. Say goodbye first, in the same answer."


class SendDtmf(BaseModel):
    """Presses phone keys, for example to get through a voice menu."""

    model_config = _CONFIG
    type: Literal["send_dtmf"]
    name: ToolName = "send_dtmf"
    description: ToolDescription = "Press keys on the phone, for example in a voice menu."


class SearchKnowledge(BaseModel):
    """Saved, and not run: calls look things up in the agent's knowledge sources by themselves."""

    model_config = _CONFIG
    type: Literal["search_knowledge"]
    name: ToolName = "search_knowledge"
    description: ToolDescription = "Look up facts in the knowledge sources before answering."
    max_results: Annotated[StrictInt, Field(ge=1, le=20)] = 4


class Mcp(BaseModel):
    """The tools of a server that speaks the Model Context Protocol over HTTP."""

    model_config = _CONFIG
    type: Literal["mcp"]
    name: ToolName
    """Prefix of the names of the server's tools."""
    description: ToolDescription | None = None
    url: HttpsAddress
    headers: Clearable[Headers] = Field(default_factory=dict)
    """Secret, like those of ``call_webhook``."""
    allowed_tools: Annotated[
        tuple[Annotated[str, StringConstraints(min_length=1, max_length=128)], ...] | None,
        Field(max_length=100),
    ] = None
    """``null`` allows all."""
    timeout_seconds: TimeoutSeconds = 10
    speak_while: SpokenLine | None = Field(
        None,
        exclude_if=lambda line: line is None,
        json_schema_extra={"x-may-be-absent": True},
    )
    """Said while waiting for the answer of one of the tools. Written only if it is set: release 0.1
    refuses fields that it does not know."""


def _depth(value: Any) -> int:
    """How many objects and arrays are within each other, counted without recursion."""
    depth, level = 0, [value]
    while level := [each for each in level if isinstance(each, dict | list)]:
        depth += 1
        level = [
            inner for each in level for inner in (each.values() if isinstance(each, dict) else each)
        ]
    return depth


def _type_of(value: Any) -> str | None:
    sent = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    return f"<{sent}>" if isinstance(sent, str) else None


ToolBinding = Annotated[
    Annotated[CallWebhook, Tag("<call_webhook>")]
    | Annotated[Handoff, Tag("<handoff>")]
    | Annotated[Transfer, Tag("<transfer>")]
    | Annotated[EndCall, Tag("<end_call>")]
    | Annotated[SendDtmf, Tag("<send_dtmf>")]
    | Annotated[SearchKnowledge, Tag("<search_knowledge>")]
    | Annotated[Mcp, Tag("<mcp>")],
    # Error paths leave out tags in angle brackets, which are not fields (``tools[2].url``).
    Discriminator(
        _type_of,
        custom_error_type="tool_type",
        custom_error_message=f"needs a `type`, one of {', '.join(TOOL_TYPES)}",
    ),
    Field(json_schema_extra={"discriminator": {"propertyName": "type"}}),
]


def check_tool_names(tools: Sequence[ToolBinding]) -> None:
    """
    Raises:
        ValueError: two tools have the same name, or one has the name of the tool that hangs up.
    """
    seen: set[str] = set()
    for index, tool in enumerate(tools):
        if tool.name in seen:
            raise ValueError(f"tools[{index}].name {tool.name!r} is taken by another tool")
        if tool.name == END_CALL and tool.type != END_CALL:
            raise ValueError(f"tools[{index}].name {END_CALL!r} belongs to the tool that hangs up")
        seen.add(tool.name)
