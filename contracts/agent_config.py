"""An agent as its owner describes it. Source: API spec, "Agent" to "PostCall".

Attributes follow Python's names with units; aliases are the names on the wire. Serialise with
``by_alias=True``; validate what a client sent with ``by_name=False``. Unknown fields are refused.

A field that the specification gives no default may be sent as ``null``, which clears it. One that
has a default refuses ``null``.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    ValidationInfo,
    field_validator,
    model_validator,
)

from contracts.clearable import Clearable
from contracts.language_tag import LanguageTag
from contracts.list_limits import AtMost
from contracts.tool_bindings import MAX_TOOLS, JsonSchema, ToolBinding, check_tool_names

MAX_ITEMS = 200
"""Of each list of the persona and the playbook. The built-in dialogue engine compares what a caller
says with all of them, in a process that carries other calls too."""
MAX_PASSAGES = 500
"""Of the knowledge base."""

_Item = TypeVar("_Item")
Items = Annotated[tuple[_Item, ...], AtMost(MAX_ITEMS)]
Passages = Annotated[tuple[str, ...], AtMost(MAX_PASSAGES)]

_CONFIG = ConfigDict(
    extra="forbid",
    frozen=True,
    validate_by_name=True,
    validate_by_alias=True,
    str_max_length=100_000,
)


Sensitivity = Annotated[StrictFloat, Field(ge=0, le=1)]
Milliseconds = Annotated[StrictFloat, Field(ge=0, le=600_000)]
Seconds = Annotated[StrictFloat, Field(gt=0, le=1_000_000)]


class VoiceConfig(BaseModel):
    model_config = _CONFIG
    voice_id: str | None = Field(None, alias="voiceId")
    language: LanguageTag | None = None
    barge_in_enabled: StrictBool = Field(True, alias="bargeInEnabled")
    """Whether the caller can interrupt."""


class CallerPersona(BaseModel):
    model_config = _CONFIG
    type: str
    approach: str


class Persona(BaseModel):
    model_config = _CONFIG
    name: str | None = None
    """Spoken name. The agent's ``name`` if absent."""
    role: str | None = None
    audience_description: str | None = Field(None, alias="audienceDescription")
    tone_override: str | None = Field(None, alias="toneOverride")
    company_name: str | None = Field(None, alias="companyName")
    company_website: str | None = Field(None, alias="companyWebsite")
    company_description: str | None = Field(None, alias="companyDescription")
    knowledge_base: Clearable[Passages] = Field((), alias="knowledgeBase")
    success_criteria: Clearable[Items[str]] = Field((), alias="successCriteria")
    voice_config: Clearable[VoiceConfig] = Field(VoiceConfig(), alias="voiceConfig")
    caller_personas: Clearable[Items[CallerPersona]] = Field((), alias="callerPersonas")


class QualificationQuestion(BaseModel):
    model_config = _CONFIG
    question: str
    listens_for: str | None = Field(None, alias="listensFor")


class RequiredSlot(BaseModel):
    model_config = _CONFIG
    name: str
    description: str = ""
    required: StrictBool = True
    sensitive: StrictBool = Field(False, exclude_if=lambda sensitive: not sensitive)
    """A secret, such as a PIN. What callers enter on the keypad is then shown in no transcript of
    the agent's calls."""


class ObjectionHandler(BaseModel):
    model_config = _CONFIG
    trigger: str
    response: str


class Script(BaseModel):
    model_config = _CONFIG
    title: str
    when: str = ""
    content: str


class Playbook(BaseModel):
    model_config = _CONFIG
    opener: str | None = None
    qualification_flow: Clearable[Items[QualificationQuestion]] = Field(
        (), alias="qualificationFlow"
    )
    required_slots: Clearable[Items[RequiredSlot]] = Field((), alias="requiredSlots")
    objection_handlers: Clearable[Items[ObjectionHandler]] = Field((), alias="objectionHandlers")
    scripts: Clearable[Items[Script]] = ()
    closing_cta: str | None = Field(None, alias="closingCTA")
    fallback_cta: str | None = Field(None, alias="fallbackCTA")
    escalation_rule: str | None = Field(None, alias="escalationRule")
    end_call_message: str | None = Field(None, alias="endCallMessage")


class Pronunciation(BaseModel):
    model_config = _CONFIG
    word: Annotated[str, Field(min_length=1)]
    say_as: str
    ipa: str | None = None


class Voicemail(BaseModel):
    """What the agent does when an answering machine answers a phone that it dialed."""

    model_config = _CONFIG
    action: Literal["hang_up", "leave_message"]
    message: Annotated[str, Field(max_length=1_000)] | None = None
    """Left after the machine's beep. Variables are filled in."""

    @model_validator(mode="after")
    def _has_its_message(self) -> Voicemail:
        if self.action == "leave_message" and not (self.message or "").strip():
            raise ValueError("needs a `message` to leave")
        return self


class Advanced(BaseModel):
    """Timing and listening options.

    ``maxCallDuration``'s range of 30–7200 s is enforced by apply-changes only (API spec,
    "Advanced"), so it is not checked here.
    """

    model_config = _CONFIG
    max_call_duration_seconds: Seconds = Field(600, alias="maxCallDuration")
    max_turn_length_seconds: Seconds = Field(60, alias="maxTurnLength")
    silence_prompt_delay_seconds: Seconds = Field(8, alias="silencePromptDelay")
    post_silence_hangup_seconds: Seconds = Field(15, alias="postSilenceHangup")
    reply_delay_ms: Milliseconds = Field(0, alias="replyDelay")
    start_speaking_phrasing: Literal["agent_greets", "wait_for_user"] = Field(
        "agent_greets", alias="startSpeakingPhrasing"
    )
    start_speaking_threshold: Sensitivity | None = Field(None, alias="startSpeakingThreshold")
    stop_speaking_threshold: Sensitivity | None = Field(None, alias="stopSpeakingThreshold")
    resume_after_interruption: StrictBool = Field(True, alias="resumeAfterInterruption")
    smart_endpointing: StrictBool = Field(True, alias="smartEndpointing")
    wait_after_sentence_ms: Milliseconds | None = Field(None, alias="waitAfterSentence")
    wait_after_no_punctuation_ms: Milliseconds | None = Field(None, alias="waitAfterNoPunctuation")
    wait_after_numbers_ms: Milliseconds | None = Field(None, alias="waitAfterNumbers")
    stt_confidence_threshold: Sensitivity | None = None
    stt_numeral_formatting: StrictBool = True
    stt_profanity_filter: StrictBool = False
    stt_keywords: str | None = None
    off_limits_topics: str | None = Field(None, alias="offLimitsTopics")
    prohibited_claims: str | None = Field(None, alias="prohibitedClaims")
    prompt_mode: Literal["builder", "raw"] = "builder"
    pronunciations: Clearable[Annotated[tuple[Pronunciation, ...], Field(max_length=100)]] = ()
    voicemail: Voicemail | None = Field(
        None,
        exclude_if=lambda voicemail: voicemail is None,
        json_schema_extra={"x-may-be-absent": True},
    )
    """``None``: the agent talks to machines as to people. Written only if it is set: the previous
    release refuses fields that it does not know."""


class Features(BaseModel):
    model_config = _CONFIG
    recording_enabled: StrictBool = False
    transcription_enabled: StrictBool = True
    require_consent: StrictBool = True


class SummarySettings(BaseModel):
    model_config = _CONFIG
    enabled: StrictBool = True
    prompt: str | None = None


class StructuredExtraction(BaseModel):
    model_config = _CONFIG
    json_schema: JsonSchema | None = None
    prompt: str | None = None


class Evaluation(BaseModel):
    model_config = _CONFIG
    rubric: str | None = None


class PostCallModel(BaseModel):
    model_config = _CONFIG
    provider: Literal["openai", "google"] | None = None
    model: str | None = None


class PostCall(BaseModel):
    model_config = _CONFIG
    summary: Clearable[SummarySettings] = SummarySettings()
    structured_extraction: Clearable[StructuredExtraction] = StructuredExtraction()
    evaluation: Clearable[Evaluation] = Evaluation()
    model: Clearable[PostCallModel] = PostCallModel()


def _without_repetition(tags: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tags))


def _checked_tools(tools: tuple[ToolBinding, ...]) -> tuple[ToolBinding, ...]:
    check_tool_names(tools)
    return tools


class AgentConfig(BaseModel):
    """Everything that an agent's owner sets. The service's own fields (id, times, resolved
    ``provider_config``, ``compiled_prompt``) are not part of it."""

    model_config = _CONFIG
    name: Annotated[str, Field(min_length=1, max_length=500)]
    system_prompt: str | None = None
    voice: str = "Aoede"
    language: LanguageTag = "en-US"
    supported_languages: Annotated[
        tuple[LanguageTag, ...], Field(max_length=200), AfterValidator(_without_repetition)
    ] = ()
    """As the client sent them. Use ``languages`` instead."""
    agent_kind: Literal["custom", "managed"] = "custom"
    managed_sku_id: str | None = Field(None, validate_default=True)
    llm_provider: str | None = None
    llm_model: str | None = None
    stt_provider: str | None = None
    stt_model: str | None = None
    tts_provider: str | None = None
    tts_model: str | None = None
    llm_fallback_provider: str | None = None
    llm_fallback_model: str | None = None
    stt_fallback_provider: str | None = None
    stt_fallback_model: str | None = None
    tts_fallback_provider: str | None = None
    tts_fallback_model: str | None = None
    custom_llm_url: str | None = None
    custom_voice_url: str | None = None
    custom_transcriber_url: str | None = None
    custom_voice_mode: Literal["svc", "compat"] = "svc"
    persona: Clearable[Persona] = Persona()
    playbook: Clearable[Playbook] = Playbook()
    advanced: Clearable[Advanced] = Advanced()
    features: Clearable[Features] = Features()
    post_call: Clearable[PostCall] = PostCall()
    tools: Clearable[
        Annotated[
            tuple[ToolBinding, ...], Field(max_length=MAX_TOOLS), AfterValidator(_checked_tools)
        ]
    ] = ()

    @field_validator("managed_sku_id")
    @classmethod
    def _fits_agent_kind(cls, sku_id: str | None, validated: ValidationInfo) -> str | None:
        kind = validated.data.get("agent_kind")
        if kind == "managed" and sku_id is None:
            raise ValueError("is required when agent_kind is 'managed'")
        if kind == "custom" and sku_id is not None:
            raise ValueError("must be null when agent_kind is 'custom'")
        return sku_id

    @property
    def languages(self) -> tuple[str, ...]:
        """Every locale that the agent may speak: the listed ones and the primary one, which comes
        first if the list does not name it."""
        if self.language in self.supported_languages:
            return self.supported_languages
        return (self.language, *self.supported_languages)

    @property
    def spoken_name(self) -> str:
        """The name by which the agent introduces itself."""
        return self.persona.name or self.name
