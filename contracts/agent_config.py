"""An agent as its owner describes it. Source: API spec, "Agent" to "PostCall".

Attributes follow Python's names with units; aliases are the names on the wire. Serialise with
``by_alias=True``. Unknown fields are refused by name.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeInt,
    PositiveInt,
    model_validator,
)

_CONFIG = ConfigDict(
    extra="forbid",
    frozen=True,
    validate_by_name=True,
    validate_by_alias=True,
    str_max_length=100_000,
)

_LANGUAGE_TAG = re.compile(
    r"^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?(-[A-Za-z0-9]{4,8})*$"
)


def _checked_language_tag(tag: str) -> str:
    if not _LANGUAGE_TAG.match(tag):
        raise ValueError(f"{tag!r} is not a BCP-47 language tag such as 'en-US' or 'hi-IN'")
    return tag


LanguageTag = Annotated[str, AfterValidator(_checked_language_tag)]
"""A BCP-47 tag (RFC 5646): language, optional script, region and variants."""

Sensitivity = Annotated[float, Field(ge=0, le=1)]
Milliseconds = NonNegativeInt


class VoiceConfig(BaseModel):
    model_config = _CONFIG
    voice_id: str | None = Field(None, alias="voiceId")
    language: LanguageTag | None = None
    barge_in_enabled: bool = Field(True, alias="bargeInEnabled")
    """Whether the caller can interrupt."""


class CallerPersona(BaseModel):
    model_config = _CONFIG
    type: str
    approach: str


class Persona(BaseModel):
    model_config = _CONFIG
    name: str | None = None
    """Spoken name; the agent's ``name`` where absent."""
    role: str | None = None
    audience_description: str | None = Field(None, alias="audienceDescription")
    tone_override: str | None = Field(None, alias="toneOverride")
    company_name: str | None = Field(None, alias="companyName")
    company_website: str | None = Field(None, alias="companyWebsite")
    company_description: str | None = Field(None, alias="companyDescription")
    knowledge_base: tuple[str, ...] = Field((), alias="knowledgeBase")
    success_criteria: tuple[str, ...] = Field((), alias="successCriteria")
    voice_config: VoiceConfig = Field(VoiceConfig(), alias="voiceConfig")
    caller_personas: tuple[CallerPersona, ...] = Field((), alias="callerPersonas")


class QualificationQuestion(BaseModel):
    model_config = _CONFIG
    question: str
    listens_for: str | None = Field(None, alias="listensFor")


class RequiredSlot(BaseModel):
    model_config = _CONFIG
    name: str
    description: str = ""
    required: bool = True


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
    qualification_flow: tuple[QualificationQuestion, ...] = Field((), alias="qualificationFlow")
    required_slots: tuple[RequiredSlot, ...] = Field((), alias="requiredSlots")
    objection_handlers: tuple[ObjectionHandler, ...] = Field((), alias="objectionHandlers")
    scripts: tuple[Script, ...] = ()
    closing_cta: str | None = Field(None, alias="closingCTA")
    fallback_cta: str | None = Field(None, alias="fallbackCTA")
    escalation_rule: str | None = Field(None, alias="escalationRule")
    end_call_message: str | None = Field(None, alias="endCallMessage")


class Pronunciation(BaseModel):
    model_config = _CONFIG
    word: Annotated[str, Field(min_length=1)]
    say_as: str
    ipa: str | None = None


class Advanced(BaseModel):
    """Timing and listening options.

    ``maxCallDuration``'s range of 30–7200 s is enforced by apply-changes alone (API spec,
    "Advanced"), so it is not checked here.
    """

    model_config = _CONFIG
    max_call_duration_seconds: PositiveInt = Field(600, alias="maxCallDuration")
    max_turn_length_seconds: PositiveInt = Field(60, alias="maxTurnLength")
    silence_prompt_delay_seconds: Annotated[float, Field(gt=0)] = Field(
        8, alias="silencePromptDelay"
    )
    post_silence_hangup_seconds: Annotated[float, Field(gt=0)] = Field(
        15, alias="postSilenceHangup"
    )
    reply_delay_ms: Milliseconds = Field(0, alias="replyDelay")
    start_speaking_phrasing: Literal["agent_greets", "wait_for_user"] = Field(
        "agent_greets", alias="startSpeakingPhrasing"
    )
    start_speaking_threshold: Sensitivity | None = Field(None, alias="startSpeakingThreshold")
    stop_speaking_threshold: Sensitivity | None = Field(None, alias="stopSpeakingThreshold")
    resume_after_interruption: bool = Field(True, alias="resumeAfterInterruption")
    smart_endpointing: bool = Field(True, alias="smartEndpointing")
    wait_after_sentence_ms: Milliseconds | None = Field(None, alias="waitAfterSentence")
    wait_after_no_punctuation_ms: Milliseconds | None = Field(None, alias="waitAfterNoPunctuation")
    wait_after_numbers_ms: Milliseconds | None = Field(None, alias="waitAfterNumbers")
    stt_confidence_threshold: Sensitivity | None = None
    stt_numeral_formatting: bool = True
    stt_profanity_filter: bool = False
    stt_keywords: str | None = None
    off_limits_topics: str | None = Field(None, alias="offLimitsTopics")
    prohibited_claims: str | None = Field(None, alias="prohibitedClaims")
    prompt_mode: Literal["builder", "raw"] = "builder"
    pronunciations: Annotated[tuple[Pronunciation, ...], Field(max_length=100)] = ()


class Features(BaseModel):
    model_config = _CONFIG
    recording_enabled: bool = False
    transcription_enabled: bool = True
    require_consent: bool = True


class SummarySettings(BaseModel):
    model_config = _CONFIG
    enabled: bool = True
    prompt: str | None = None


class StructuredExtraction(BaseModel):
    model_config = _CONFIG
    json_schema: dict[str, Any] | None = None
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
    summary: SummarySettings = SummarySettings()
    structured_extraction: StructuredExtraction = StructuredExtraction()
    evaluation: Evaluation = Evaluation()
    model: PostCallModel = PostCallModel()


class AgentConfig(BaseModel):
    """Everything that an agent's owner sets. The service's own fields (id, times, resolved
    ``provider_config``, ``compiled_prompt``) are not part of it."""

    model_config = _CONFIG
    name: Annotated[str, Field(min_length=1, max_length=500)]
    system_prompt: str | None = None
    voice: str = "Aoede"
    language: LanguageTag = "en-US"
    supported_languages: tuple[LanguageTag, ...] = ()
    """Empty means ``(language,)``."""
    agent_kind: Literal["custom", "managed"] = "custom"
    managed_sku_id: str | None = None
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
    persona: Persona = Persona()
    playbook: Playbook = Playbook()
    advanced: Advanced = Advanced()
    features: Features = Features()
    post_call: PostCall = PostCall()
    tools: tuple[dict[str, Any], ...] = ()

    @model_validator(mode="after")
    def _managed_sku_fits_agent_kind(self) -> Self:
        if self.agent_kind == "managed" and self.managed_sku_id is None:
            raise ValueError("managed_sku_id is required when agent_kind is 'managed'")
        if self.agent_kind == "custom" and self.managed_sku_id is not None:
            raise ValueError("managed_sku_id must be null when agent_kind is 'custom'")
        return self

    @property
    def languages(self) -> tuple[str, ...]:
        """Every locale that the agent may run, the primary one if none is listed."""
        return self.supported_languages or (self.language,)

    @property
    def spoken_name(self) -> str:
        """The name by which the agent introduces itself."""
        return self.persona.name or self.name
