"""The API: every router, inside the middleware that all of them share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from uuid import UUID

from fastapi import APIRouter, Depends, FastAPI
from fastapi.middleware.cors import CORSMiddleware
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.agent_builder.routes import router as agent_builder
from control_plane.building.agents import repository as agents_repository
from control_plane.building.agents.changes.routes import router as agent_changes
from control_plane.building.agents.managed.routes import router as agents_on_managed_skus
from control_plane.building.agents.publishing.routes import router as agent_publication
from control_plane.building.agents.routes import router as agents
from control_plane.building.agents.versions.routes import router as agent_versions
from control_plane.building.catalogue.operator_routes import router as catalogue_edits
from control_plane.building.catalogue.routes import router as catalogue
from control_plane.building.estimates.routes import router as estimates
from control_plane.building.knowledge_sources import service as knowledge_source_service
from control_plane.building.knowledge_sources.knowledge_base import keep_knowledge_base
from control_plane.building.knowledge_sources.looking_up import Knowledge
from control_plane.building.knowledge_sources.routes import router as knowledge_sources
from control_plane.building.provider_keys.routes import router as provider_keys
from control_plane.building.voice_samples.routes import router as voice_samples
from control_plane.calling.batches.routes import router as batches
from control_plane.calling.call_costs.routes import router as call_costs
from control_plane.calling.call_page.routes import call_page_files, call_page_router
from control_plane.calling.calls.agent_call_routes import router as agent_calls
from control_plane.calling.calls.agent_card_routes import router as agent_cards
from control_plane.calling.calls.bill.routes import router as call_bills
from control_plane.calling.calls.creating.dispatcher import Dispatcher
from control_plane.calling.calls.creating.planning import PlanSources
from control_plane.calling.calls.feedback.routes import router as call_feedback
from control_plane.calling.calls.latency.routes import router as call_latencies
from control_plane.calling.calls.legs.routes import router as call_legs
from control_plane.calling.calls.participants.routes import router as call_participants
from control_plane.calling.calls.queries.remembered_calls import RememberedCalls
from control_plane.calling.calls.routes import router as calls
from control_plane.calling.carriers.access import CarrierAccess
from control_plane.calling.carriers.operator_routes import router as installation_carriers
from control_plane.calling.carriers.routes import router as carriers
from control_plane.calling.chat_sessions.playbook_replies import Dialogues
from control_plane.calling.chat_sessions.routes import router as chat_sessions
from control_plane.calling.dialing.routes import router as dialing
from control_plane.calling.do_not_call.routes import router as do_not_call
from control_plane.calling.erasure.routes import router as erasure
from control_plane.calling.intelligence.routes import router as intelligence
from control_plane.calling.live_view.live_feed import LiveFeed
from control_plane.calling.live_view.routes import router as live_view
from control_plane.calling.live_view.viewer_seats import ViewerSeats
from control_plane.calling.numbers import repository as numbers_repository
from control_plane.calling.numbers.operator_routes import router as given_numbers
from control_plane.calling.numbers.routes import router as numbers
from control_plane.calling.realtime.routes import router as realtime
from control_plane.calling.recordings.routes import router as recordings
from control_plane.calling.retention.routes import router as retention
from control_plane.calling.sharing.links.routes import router as share_links
from control_plane.calling.sharing.testers.routes import router as testers
from control_plane.calling.sharing.visiting.paying_routes import router as paid_shared_calls
from control_plane.calling.sharing.visiting.routes import router as shared_agents
from control_plane.calling.sharing.widget.routes import widget_router
from control_plane.calling.telecom.operator_routes import router as telecom_prices
from control_plane.calling.telecom.routes import router as phone_settings
from control_plane.console.routes import console_files, console_router
from control_plane.identity.accounts.passwords.hashing import Passwords
from control_plane.identity.accounts.routes import router as accounts
from control_plane.identity.api_keys.routes import router as api_keys
from control_plane.identity.audit_log.routes import router as audit
from control_plane.identity.authentication.refusals import OPERATOR_REFUSALS, SESSION_REFUSALS
from control_plane.identity.mailed_pages.routes import mailed_page_files, mailed_pages_router
from control_plane.identity.members.routes import router as members
from control_plane.identity.request_limits.fair_turns import FairTurnsMiddleware
from control_plane.identity.request_limits.middleware import (
    POLICY_HEADER,
    QUOTA_HEADER,
    RateLimitMiddleware,
)
from control_plane.identity.request_limits.paced_refusals import PacedRefusalsMiddleware
from control_plane.identity.request_limits.repeated_refusals import RepeatedRefusalsMiddleware
from control_plane.money.billing.routes import router as billing
from control_plane.money.billing.welcome_credit import welcome_credit
from control_plane.money.invoices.routes import router as invoices
from control_plane.money.payments.gateway_events.routes import router as gateway_events
from control_plane.money.payments.gateways.installed import InstalledGateways
from control_plane.money.payments.preferences import payment_preferences
from control_plane.money.payments.routes import router as payments
from control_plane.money.plans.routes import router as billing_plan
from control_plane.money.spend_alerts.routes import router as spend_alerts
from control_plane.money.spending.limits import RequestsAtOnce
from control_plane.money.spending.summary_routes import router as usage_summary
from control_plane.notifying.notifications.mail_choices.routes import mail_choices_router
from control_plane.notifying.notifications.phones.phone_routes import router as notification_phone
from control_plane.notifying.notifications.preference_routes import router as preferences
from control_plane.notifying.notifications.routes import router as notifications
from control_plane.notifying.notifications.settings_routes import router as notification_settings
from control_plane.notifying.notifications.streaming.news import News
from control_plane.notifying.notifications.streaming.stream_routes import (
    router as notification_stream,
)
from control_plane.notifying.webhooks.openapi_webhooks import describe_webhooks
from control_plane.notifying.webhooks.routes import router as webhooks
from control_plane.operator.routes import router as operator
from control_plane.platform.api_reference.routes import api_reference_files, api_reference_router
from control_plane.platform.database import Database
from control_plane.platform.http.allowed_hosts_middleware import AllowedHostsMiddleware
from control_plane.platform.http.body_limit import BodyLimitMiddleware
from control_plane.platform.http.client_address import TrustedProxies
from control_plane.platform.http.forwarded_headers import ForwardedHeadersMiddleware
from control_plane.platform.http.health import router as health
from control_plane.platform.http.openapi import install_openapi
from control_plane.platform.http.own_body_limits import OwnBodyLimits
from control_plane.platform.http.problems import install_problem_handlers
from control_plane.platform.http.request_context import HEADER, RequestContextMiddleware
from control_plane.platform.http.route_index import RouteIndex
from control_plane.platform.http.security_headers import SecurityHeadersMiddleware
from control_plane.platform.http.storable_input import storable_input
from control_plane.platform.idempotency.answer import REPLAYED_HEADER
from control_plane.platform.link.capacity import CapacityView
from control_plane.platform.link.link import Link
from control_plane.platform.mail.mailer import Mailer
from control_plane.platform.page_style.files import page_style_files
from control_plane.platform.rate_limits.counters import RequestCounters
from control_plane.platform.settings import ControlPlaneSettings
from outbound.resolver import SharedResolver

ROUTERS: tuple[APIRouter, ...] = (
    # Matched in this order, so the most frequent routes come first.
    health,
    realtime,
    # Before ``calls``, whose ``/v1/calls/{call_id}`` would match their fixed names as ids.
    batches,
    dialing,
    live_view,
    intelligence,
    recordings,
    call_latencies,
    call_participants,
    call_feedback,
    call_bills,
    call_legs,
    calls,
    accounts,
    members,
    api_keys,
    provider_keys,
    do_not_call,
    erasure,
    retention,
    audit,
    # Before ``agents``, whose ``/v1/agents/{agent_id}`` would match their fixed names as ids.
    catalogue,
    voice_samples,
    agent_builder,
    agent_changes,
    agent_publication,
    agents_on_managed_skus,
    agent_versions,
    agent_calls,
    agent_cards,
    chat_sessions,
    share_links,
    testers,
    shared_agents,
    paid_shared_calls,
    knowledge_sources,
    agents,
    billing,
    payments,
    invoices,
    gateway_events,
    billing_plan,
    spend_alerts,
    call_costs,
    estimates,
    usage_summary,
    # Before ``notifications``, whose ``/v1/notifications/{notification_id}`` would match its name.
    preferences,
    notification_settings,
    notification_stream,
    notification_phone,
    notifications,
    webhooks,
    carriers,
    numbers,
    phone_settings,
    operator,
    given_numbers,
    installation_carriers,
    telecom_prices,
    catalogue_edits,
)


@cache
def _api() -> APIRouter:
    """Every route, built once per process, because resolving their dependencies takes 0.1 s."""
    api = APIRouter(dependencies=[Depends(storable_input)])
    for router in ROUTERS:
        api.include_router(router)
    return api


@cache
def _api_index() -> RouteIndex:
    return RouteIndex("/v1", _api().routes)


@cache
def _pages(ice_servers: tuple[str, ...], checkout_url: str | None) -> APIRouter:
    """Every page, built once per process as well. Their files are mounted before them.

    Args:
        ice_servers: see ``call_page_router``.
        checkout_url: see ``console_router``.
    """
    pages = APIRouter(dependencies=[Depends(storable_input)])
    pages.include_router(api_reference_router())
    pages.include_router(call_page_router(ice_servers))
    pages.include_router(widget_router())
    pages.include_router(mailed_pages_router())
    pages.include_router(mail_choices_router())
    pages.include_router(console_router(checkout_url))
    return pages


async def _on_agent_deleted(session: AsyncSession, tenant_id: UUID, agent_id: UUID) -> None:
    await numbers_repository.drop_mappings(session, tenant_id, agent_id)
    await knowledge_source_service.delete_all(session, tenant_id, agent_id)


def create_app(settings: ControlPlaneSettings) -> FastAPI:
    """The ASGI application. It connects to PostgreSQL and Redis when it first needs them."""
    database = Database(
        settings.database_url,
        system_url=settings.system_database_url,
        deadline_seconds=settings.request_deadline_seconds,
    )
    link = Link(settings.redis_url)
    live_feed = LiveFeed(link.redis, database)
    viewer_seats = ViewerSeats(
        database,
        most=settings.viewers_at_once,
        most_per_tenant=settings.viewers_at_once_per_tenant,
    )
    notification_news = News(database)
    dispatcher = Dispatcher(database)
    request_counters = RequestCounters(
        settings.redis_url, deadline_seconds=settings.request_counting_deadline_seconds
    )

    resolver = SharedResolver()
    knowledge = Knowledge(settings.object_store_url, settings.knowledge_dir)
    carrier_access = CarrierAccess(settings)
    gateways = InstalledGateways(settings)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await viewer_seats.aclose()
            await live_feed.aclose()
            await notification_news.aclose()
            await dispatcher.recorded()
            await database.aclose()
            await link.aclose()
            await request_counters.aclose()
            await carrier_access.aclose()
            await gateways.aclose()
            resolver.close()
            knowledge.close()

    app = FastAPI(
        title="Switchboard",
        version="1",
        summary="Voice agents, real calls, transcripts and exact bills.",
        lifespan=lifespan,
        # Their pages load scripts from other hosts; ours, at /docs, does not.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        servers=[{"url": settings.public_url.rstrip("/"), "description": "This installation"}],
    )
    app.state.settings = settings
    app.state.database = database
    app.state.link = link
    app.state.capacity = CapacityView(link.redis)
    app.state.dispatcher = dispatcher
    app.state.plan_sources = PlanSources()
    app.state.live_feed = live_feed
    app.state.viewer_seats = viewer_seats
    app.state.notification_news = notification_news
    app.state.resolver = resolver
    app.state.knowledge = knowledge
    app.state.carrier_access = carrier_access
    app.state.gateways = gateways
    app.state.mailer = Mailer(settings.smtp, settings.mail_outbox_dir)
    app.state.passwords = Passwords()
    app.state.builder_requests = RequestsAtOnce(settings.agent_builder_at_once)
    app.state.chat_dialogues = Dialogues()
    app.state.chat_requests = RequestsAtOnce(settings.chat_at_once)
    # Implementations on higher floors that lower floors call.
    app.state.agent_directory = agents_repository
    app.state.call_directory = RememberedCalls()
    app.state.on_agent_copied = knowledge_source_service.copy_all
    app.state.on_agent_deleted = _on_agent_deleted
    app.state.on_version_published = keep_knowledge_base(settings.embedding)
    app.state.payment_preferences = payment_preferences(settings)
    app.state.on_tenant_opened = welcome_credit(settings.welcome_credit_micros)
    install_problem_handlers(app)
    describe_webhooks(app)
    install_openapi(app, [SESSION_REFUSALS, OPERATOR_REFUSALS])
    # Routes are tried in their order. The API has most requests, and a page loads dozens of files.
    app.router.routes.append(_api_index())
    app.mount("/page-style", page_style_files())
    app.mount("/docs/static", api_reference_files())
    app.mount("/call/static", call_page_files())
    app.mount("/mailed-pages/static", mailed_page_files())
    app.mount("/console/static", console_files())
    app.router.routes.extend(_api().routes)
    takes_razorpay = "razorpay" in settings.configured_gateways
    checkout_url = settings.razorpay_checkout_url if takes_razorpay else None
    app.router.routes.extend(_pages(settings.ice_servers, checkout_url).routes)
    app.add_middleware(
        BodyLimitMiddleware,
        max_bytes=settings.max_body_bytes,
        own_limits=OwnBodyLimits(route for router in ROUTERS for route in router.routes),
    )
    app.add_middleware(
        RateLimitMiddleware,
        counters=request_counters,
        per_key=settings.requests_per_minute_per_key,
        per_address=settings.requests_per_minute_per_address,
    )
    app.add_middleware(RepeatedRefusalsMiddleware)
    # Browsers do not add bearer keys by themselves, so any page may call: it must have a key.
    app.add_middleware(
        CORSMiddleware,
        allow_origins=["*"],
        allow_methods=["*"],
        allow_headers=["*"],
        expose_headers=[
            HEADER,
            REPLAYED_HEADER,
            "Location",
            "Link",
            "Retry-After",
            POLICY_HEADER,
            QUOTA_HEADER,
        ],
        max_age=600,
    )
    app.add_middleware(AllowedHostsMiddleware, allowed=settings.hosts)
    app.add_middleware(PacedRefusalsMiddleware, per_second=settings.refusals_per_second)
    app.add_middleware(FairTurnsMiddleware)
    app.add_middleware(RequestContextMiddleware)
    app.add_middleware(SecurityHeadersMiddleware)
    app.add_middleware(ForwardedHeadersMiddleware, trusted=TrustedProxies(settings.trusted_proxies))
    return app
