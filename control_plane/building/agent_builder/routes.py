"""Routes that build agents: generate, draft a field, answer a question, describe a company.

No transaction is open during a request to a language model or a web page. With an
``Idempotency-Key``, a repeated request asks the model nothing.
"""

from __future__ import annotations

import asyncio

from fastapi import APIRouter

from control_plane.building.agent_builder import assistant, field_drafting, generation
from control_plane.building.agent_builder.enrichment import NoEnrichment, enrich
from control_plane.building.agent_builder.errors import GenerationNotConfigured
from control_plane.building.agent_builder.platform_model import OptionalPlatformModel
from control_plane.building.agent_builder.schemas import (
    ChatAnswer,
    ChatRequest,
    DraftedField,
    DraftFieldRequest,
    Enriched,
    EnrichRequest,
    Generated,
    GenerateRequest,
    NotEnriched,
    QualityGates,
    Questions,
    SuggestedChange,
)
from control_plane.building.agent_builder.stack_hints import Hints
from control_plane.building.agents.tenant_addresses import TenantResolver
from control_plane.building.catalogue.repository import stack_catalogue
from control_plane.building.provider_keys.dependencies import available_keys
from control_plane.identity.authentication.dependencies import MemberCaller
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute
from control_plane.identity.idempotent_requests.two_phase import EffectOncePerKey
from control_plane.money.spending.dependencies import MeteredBuilder
from control_plane.money.spending.errors import SpendingLimited
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.idempotency.errors import IdempotencyKeyInUse
from control_plane.platform.language_model.completions import Message
from outbound.policy import OutboundPolicy

router = APIRouter(
    prefix="/v1/agents",
    tags=["agent builder"],
    responses=problems(*MEMBER_ONLY, IdempotencyKeyInUse, SpendingLimited),
    route_class=IdempotentRoute,
)


@router.post("/generate")
async def generate_agent(
    wanted: GenerateRequest,
    caller: MemberCaller,
    database: AppDatabase,
    settings: AppSettings,
    model: OptionalPlatformModel,
    _: EffectOncePerKey,
    _metered: MeteredBuilder,
) -> Generated | Questions:
    """Draft an agent from a description, or change an agent (`mode` is `edit`).

    Nothing is saved: send the draft to `POST /v1/agents` or `PATCH /v1/agents/{agent_id}`.

    If the installation has a language model, the model writes the draft. Otherwise a built-in
    builder writes it from the words of the prompt. `source` says which of them wrote it, and
    `warnings` lists what is missing.
    """
    if wanted.mode == "edit" and wanted.current_config is None:
        raise InvalidRequest.at("current_config", "is required if mode is 'edit'")
    written = await generation.write(
        wanted.prompt,
        wanted.current_config if wanted.mode == "edit" else None,
        may_ask=wanted.allow_clarifying_questions,
        model=model,
    )
    if isinstance(written, generation.NeedsAnswers):
        missing = written.clarification
        return Questions(
            clarifying_questions=list(missing.questions),
            quality_gates=QualityGates(
                blockers=list(missing.blockers), warnings=list(missing.warnings)
            ),
            source=written.source,
        )
    async with database.tenant_session(caller.tenant_id) as session:
        catalogue = await stack_catalogue(session)
        keys = await available_keys(session, caller.tenant_id, settings)
    hints = Hints(**wanted.options.model_dump()) if wanted.options else Hints()
    finished = await asyncio.to_thread(generation.finish, written, hints, catalogue, keys)
    return Generated(
        draft=finished.body,
        compiled_prompt_preview=finished.compiled_prompt,
        source=written.source,
        warnings=list(finished.warnings),
    )


@router.post("/draft-field", responses=problems(GenerationNotConfigured))
async def draft_agent_field(
    wanted: DraftFieldRequest,
    _caller: MemberCaller,
    model: OptionalPlatformModel,
    _: EffectOncePerKey,
    _metered: MeteredBuilder,
) -> DraftedField:
    """Write or improve one field of an agent. Nothing is saved.

    Without a language model most fields can still be written from the instruction and the rest of
    the agent. If that is not possible, the answer is 503.
    """
    drafted = await field_drafting.draft(
        wanted.field, wanted.instruction, wanted.current_config, model
    )
    return DraftedField(
        field=wanted.field,
        value=drafted.value,
        source=drafted.source,
        warnings=list(drafted.warnings),
    )


@router.post("/chat/answer")
async def answer_builder_question(
    wanted: ChatRequest,
    _caller: MemberCaller,
    model: OptionalPlatformModel,
    _: EffectOncePerKey,
    _metered: MeteredBuilder,
) -> ChatAnswer:
    """Answer a question about building an agent, or turn a request into suggested changes.

    Nothing is saved: send the changes to `POST /v1/agents/apply-changes`."""
    history = [Message(item.role, item.content) for item in wanted.history]
    reply = await assistant.answer(wanted.question, wanted.current_config, history, model)
    return ChatAnswer(
        answer=reply.text,
        suggested_changes=[SuggestedChange(key=key, value=value) for key, value in reply.changes],
        source=reply.source,
    )


@router.post("/enrich-company")
async def enrich_company(
    wanted: EnrichRequest,
    settings: AppSettings,
    resolver: TenantResolver,
    model: OptionalPlatformModel,
    _: EffectOncePerKey,
    _metered: MeteredBuilder,
) -> Enriched | NotEnriched:
    """Describe a company from its web page, for an agent's persona.

    A page that cannot be read is a 200, too: check `enriched`."""
    policy = OutboundPolicy(settings.outbound_allowed_networks)
    try:
        found = await enrich(wanted.companyName, wanted.websiteUrl, policy, model, resolver)
    except NoEnrichment as error:
        return NotEnriched(error=str(error))
    return Enriched(
        companyDescription=found.description,
        knowledgeBase=list(found.knowledge),
        source=found.source,
    )
