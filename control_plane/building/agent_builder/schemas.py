"""Requests and answers of the agent builder. Source: API spec, "Agents" under Endpoints.

The spec does not define the bodies of ``draft-field`` and ``chat/answer``; these follow its style.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool

LONGEST_PROMPT = 20_000
_SHORT = 4_000

Source = Literal["llm", "local"]
"""Written by the platform's language model (``llm``) or by the built-in builder (``local``)."""


def _not_blank(text: Any) -> Any:
    if isinstance(text, str) and not text.strip():
        raise ValueError("must not be blank")
    return text


NotBlank = BeforeValidator(_not_blank)
CurrentConfig = Annotated[
    dict[str, Any] | None,
    Field(
        description="The agent's configuration as GET /v1/agents/{agent_id} returns it, or a part "
        "of it."
    ),
]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class GenerationOptions(_Request):
    """Wishes. What the catalogue does not have is left out, with a warning."""

    voice: Annotated[str, Field(max_length=200)] | None = None
    llm_provider: Annotated[str, Field(max_length=200)] | None = None
    llm_model: Annotated[str, Field(max_length=200)] | None = None


class GenerateRequest(_Request):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "prompt": "A friendly agent that takes table bookings for my Italian restaurant "
                "Bella Napoli. Ask for name, party size, day and time. We are open Tuesday to "
                "Sunday from 5 pm to 11 pm.",
                "options": {"voice": "hibari"},
            }
        }
    )
    prompt: Annotated[str, NotBlank, Field(min_length=1, max_length=LONGEST_PROMPT)]
    """A description of the agent. If ``mode`` is ``edit``, a description of the changes."""
    mode: Literal["create", "edit"] = "create"
    allow_clarifying_questions: StrictBool = False
    """Whether to answer with questions if the prompt says too little."""
    options: GenerationOptions | None = None
    current_config: CurrentConfig = None
    """Required if ``mode`` is ``edit``."""


class QualityGates(BaseModel):
    blockers: list[str]
    """What is missing from the prompt before an agent can be drafted."""
    warnings: list[str]


class Generated(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "generated": True,
                "draft": {
                    "name": "Bella Napoli booking assistant",
                    "voice": "hibari",
                    "llm_provider": "local",
                    "persona": {"companyName": "Bella Napoli", "role": "booking assistant"},
                    "playbook": {
                        "opener": "Hello, this is the automated assistant of Bella Napoli. How "
                        "can I help you?",
                        "requiredSlots": [{"name": "party_size", "description": ""}],
                    },
                },
                "compiled_prompt_preview": "You are the virtual assistant, …",
                "source": "local",
                "warnings": [],
            }
        }
    )
    generated: Literal[True] = True
    draft: dict[str, Any]
    """A body for ``POST /v1/agents`` with ``name``, ``voice``, ``llm_provider``, ``persona`` and
    ``playbook``, and with what else the prompt asks for (``language``, ``advanced``, …). While a
    warning says that a language cannot be served yet, ``POST /v1/agents/draft`` takes it."""
    compiled_prompt_preview: str
    source: Source
    warnings: list[str]
    """What is missing, was left out or was not understood."""


class Questions(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "generated": False,
                "clarifying_questions": ["What should the agent do on a call?"],
                "quality_gates": {
                    "blockers": ["The prompt does not say what the agent should do on a call."],
                    "warnings": [],
                },
                "source": "local",
            }
        }
    )
    generated: Literal[False] = False
    clarifying_questions: list[str]
    quality_gates: QualityGates
    source: Source


class DraftFieldRequest(_Request):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "field": "playbook.opener",
                "instruction": "shorter and friendlier",
                "current_config": {"persona": {"companyName": "Bella Napoli"}},
            }
        }
    )
    field: Annotated[str, NotBlank, Field(max_length=100)]
    """The path of the field, for example ``playbook.opener`` or ``persona.knowledgeBase``."""
    instruction: Annotated[str, Field(max_length=_SHORT)] | None = None
    """What to write, or how to change the present value."""
    current_config: CurrentConfig = None


class DraftedField(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "field": "playbook.opener",
                "value": "Hello, this is the automated assistant of Bella Napoli. How can I help?",
                "source": "local",
                "warnings": [],
            }
        }
    )
    field: str
    value: Any
    """A string or an array, as the field needs it."""
    source: Source
    warnings: list[str]


class HistoryItem(_Request):
    role: Literal["user", "assistant"]
    content: Annotated[str, Field(max_length=_SHORT)]


class ChatRequest(_Request):
    model_config = ConfigDict(
        json_schema_extra={"example": {"question": "How do I hand a caller over to a person?"}}
    )
    question: Annotated[str, NotBlank, Field(min_length=1, max_length=_SHORT)]
    current_config: CurrentConfig = None
    history: Annotated[list[HistoryItem], Field(max_length=40)] = []
    """The conversation so far, oldest message first."""


class SuggestedChange(BaseModel):
    """A change for ``POST /v1/agents/apply-changes``."""

    key: str
    value: Any


class ChatAnswer(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "answer": "Say in playbook.escalationRule when and how to hand over.",
                "suggested_changes": [],
                "source": "local",
            }
        }
    )
    answer: str
    suggested_changes: list[SuggestedChange]
    source: Source


class EnrichRequest(BaseModel):
    """Both fields are strings. For anything else, ``enriched`` in the answer is false."""

    model_config = ConfigDict(
        extra="ignore",
        json_schema_extra={
            "example": {"companyName": "Bella Napoli", "websiteUrl": "https://example.com"}
        },
    )
    companyName: Any = Field(None, json_schema_extra={"type": "string"})
    websiteUrl: Any = Field(None, json_schema_extra={"type": "string"})


class Enriched(BaseModel):
    enriched: Literal[True] = True
    companyDescription: str
    knowledgeBase: list[str]
    source: Source


class NotEnriched(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {"enriched": False, "error": "The page does not exist (404)."}
        }
    )
    enriched: Literal[False] = False
    error: str
