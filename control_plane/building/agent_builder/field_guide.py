"""Explains each field of an agent to its owner. The assistant answers from these texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "texts", "questions", "slots", "objections", "scripts"]


@dataclass(frozen=True)
class FieldGuide:
    path: str
    """As in a request body, for example ``playbook.opener``."""
    kind: Kind
    purpose: str
    topics: str
    """Words that people use when they ask about the field."""


GUIDES: tuple[FieldGuide, ...] = (
    FieldGuide(
        "name",
        "text",
        "The agent's label in the dashboard; callers never hear it.",
        "label dashboard title rename",
    ),
    FieldGuide(
        "persona.name",
        "text",
        "The name that the agent introduces itself with; if it is empty, the agent's label.",
        "introduce itself called spoken name",
    ),
    FieldGuide(
        "persona.role",
        "text",
        "The agent's job in a few words, such as receptionist.",
        "job title role",
    ),
    FieldGuide(
        "persona.audienceDescription",
        "text",
        "Who the agent talks to.",
        "audience callers who talks target",
    ),
    FieldGuide(
        "persona.toneOverride",
        "text",
        "How the agent speaks, in adjectives: friendly, calm and brief. Only language models "
        "follow it.",
        "tone style friendly formal manner personality polite warm",
    ),
    FieldGuide(
        "persona.companyName",
        "text",
        "The business that the agent speaks for.",
        "company business name brand",
    ),
    FieldGuide("persona.companyWebsite", "text", "The company's web address.", "website url web"),
    FieldGuide(
        "persona.companyDescription",
        "text",
        "What the company does, in sentences that may be said to callers.",
        "company description about us business does",
    ),
    FieldGuide(
        "persona.knowledgeBase",
        "texts",
        "Facts that the agent may tell callers, one or a few sentences each: hours, prices, "
        "place, policies. It answers questions from them.",
        "knowledge facts hours opening prices faq information know questions about answer",
    ),
    FieldGuide(
        "persona.successCriteria",
        "texts",
        "What a successful call looks like.",
        "success goal successful criteria",
    ),
    FieldGuide(
        "playbook.opener",
        "text",
        "The first sentence of a call. It should name the business, say that an assistant is "
        "speaking, and offer help.",
        "opener greeting first sentence hello start greet welcome",
    ),
    FieldGuide(
        "playbook.qualificationFlow",
        "questions",
        "Questions for the agent's orientation, asked in this order before anything is collected.",
        "qualification questions qualify order",
    ),
    FieldGuide(
        "playbook.requiredSlots",
        "slots",
        "What the agent has to collect: name, day, phone number and so on. It asks for each, "
        "reads everything back and reports it. A description that ends with a question mark "
        "is asked word for word; slots that are not required are noted when callers mention "
        "them.",
        "slots collect ask details data capture fields information required email phone",
    ),
    FieldGuide(
        "playbook.objectionHandlers",
        "objections",
        "Objections that callers may raise, each with the answer.",
        "objection objections expensive handle pushback hesitate refuse",
    ),
    FieldGuide(
        "playbook.scripts",
        "scripts",
        "Prepared answers to questions: when they apply, and what is said.",
        "script scripts answer faq when asked respond",
    ),
    FieldGuide(
        "playbook.closingCTA",
        "text",
        "What the agent says once everything is collected and confirmed.",
        "closing call to action cta end finish",
    ),
    FieldGuide(
        "playbook.fallbackCTA",
        "text",
        "Replaces the closing when something could not be collected.",
        "fallback fails could not alternative",
    ),
    FieldGuide(
        "playbook.escalationRule",
        "text",
        "When and how a person takes over, for example: transfer when the caller asks for a "
        "person or is upset. The agent says what is in quotation marks. With a tool of type "
        "transfer it also connects the caller.",
        "escalation transfer human person hand over handover manager escalate colleague operator",
    ),
    FieldGuide(
        "playbook.endCallMessage",
        "text",
        "The last words before the agent hangs up.",
        "goodbye farewell sign off last words hang up end call message",
    ),
    FieldGuide(
        "advanced.offLimitsTopics",
        "text",
        "Topics that the agent declines to talk about, separated by commas.",
        "off limits topics forbidden avoid never talk about politics",
    ),
    FieldGuide(
        "advanced.prohibitedClaims",
        "text",
        "What the agent must never claim or promise.",
        "claims promise guarantee prohibited never say",
    ),
    FieldGuide(
        "system_prompt",
        "text",
        "Free instructions for the language model, in addition to persona and playbook; "
        "with advanced.prompt_mode raw they are the whole prompt, but for off-limits topics and "
        "prohibited claims.",
        "system prompt instructions raw free text",
    ),
)
BY_PATH = {guide.path: guide for guide in GUIDES}

TOPICS: tuple[tuple[str, str], ...] = (
    (
        "publish live version rollback go deploy draft",
        "A saved agent takes calls once it is published: POST /v1/agents/{agent_id}/publish. "
        "POST /v1/agents/{agent_id}/validate-publish says beforehand what is missing. Later "
        "changes take effect when you publish again.",
    ),
    (
        "voice sound male female speaker accent",
        "voice is the id of a voice from GET /v1/agents/voices. If the agent's speech model does "
        "not have it, that model's own voice is used, with a warning.",
    ),
    (
        "language languages locale spanish german french hindi translate multilingual",
        "language is the agent's main language as a tag such as en-US, and supported_languages "
        "lists every language that it may speak. Write the spoken texts in that language too. POST "
        "/v1/agents/stack-preview says which languages can be served.",
    ),
    (
        "silence silent hang hangup nudge duration long timeout maximum minutes",
        "advanced.silencePromptDelay and advanced.postSilenceHangup are the seconds of silence "
        "before the agent asks whether the caller is still there, and before it hangs up. "
        "advanced.maxCallDuration is the longest duration of a call in seconds.",
    ),
    (
        "interrupt interruption barge barge-in talk over",
        "persona.voiceConfig.bargeInEnabled says whether callers can interrupt the agent.",
    ),
    (
        "record recording recorded consent transcript transcription",
        "features.recording_enabled records calls, and features.require_consent has the agent "
        "announce it. features.transcription_enabled keeps the transcript.",
    ),
    (
        "model llm provider gpt openai anthropic gemini local offline",
        "llm_provider and llm_model choose the language model from GET /v1/agents/llm-options. The "
        "provider local needs no key: it follows the playbook word by word.",
    ),
    (
        "tool tools webhook mcp api crm calendar integration integrate",
        "tools lets the agent act during a call: call_webhook calls your HTTP API, mcp offers the "
        "tools of an MCP server, handoff lets another agent of yours take over, transfer connects "
        "the caller to a person, send_dtmf presses keys of the phone, and end_call hangs up. "
        "search_knowledge is saved, and does not run: GET /v1/agents/{agent_id}/"
        "tool-capabilities says why. An update replaces the whole list.",
    ),
    (
        "summary sentiment extract extraction evaluation after call analysis",
        "post_call sets what is produced after a call: a summary, data that fits "
        "post_call.structured_extraction.json_schema, and a grade by post_call.evaluation.rubric.",
    ),
    (
        "variable variables template placeholder personalize personalise",
        "Write a variable such as {{ first_name }} into a text, and send its value in variables "
        "when the call is created.",
    ),
    (
        "pronounce pronunciation say word spelled",
        "advanced.pronunciations lists words and how they are pronounced.",
    ),
)
