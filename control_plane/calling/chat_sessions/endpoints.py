"""The models of a chat, with their keys: the platform's, or the tenant's own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from uuid import UUID

import httpx2
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import ProviderChoice, ResolvedChannel
from contracts.sealing import CannotOpen
from control_plane.building.provider_keys.repository import (
    own_keys_allowed,
    own_server,
    sealed_keys,
)
from control_plane.calling.calls.errors import ProviderKeyUnavailable
from control_plane.calling.chat_sessions.chat_agent import ChatAgent
from control_plane.calling.chat_sessions.chat_model import ChatEndpoint, ChatModel
from control_plane.calling.chat_sessions.completions import CHAT_PROVIDERS, chat_address
from control_plane.platform.language_model.connection import connection
from control_plane.platform.settings import ControlPlaneSettings
from outbound.api_address import api_address
from outbound.client import guarded_client
from outbound.policy import OutboundPolicy
from outbound.resolver import SharedResolver
from pipelines.settings import OPENAI_COMPATIBLE, ProviderSettings
from pipelines.stack import CUSTOM, LOCAL

_ANSWER_SECONDS = 30.0
_TOOL_SECONDS = 30.0
"""What a binding may set at most."""
_PATH = "/chat/completions"


@dataclass(frozen=True)
class Access:
    """How a provider is asked."""

    key: str | None = field(repr=False)
    """``None`` for a server that wants none."""
    own_url: str | None = None
    """The tenant's own server; ``None``: the address that every tenant's requests go to."""


@dataclass(frozen=True)
class ChatNetwork:
    """What replies reach beyond this installation."""

    settings: ControlPlaneSettings
    resolver: SharedResolver

    def guarded(self, tenant_id: UUID, timeout_seconds: float) -> httpx2.AsyncClient:
        """A client for the tenant's own servers. The caller must close it."""
        return guarded_client(
            OutboundPolicy(self.settings.outbound_allowed_networks),
            timeout_seconds=timeout_seconds,
            resolver=self.resolver.of(str(tenant_id)),
        )

    def for_tools(self, tenant_id: UUID) -> httpx2.AsyncClient:
        """The same for its tools."""
        return self.guarded(tenant_id, _TOOL_SECONDS)

    @asynccontextmanager
    async def model(
        self, agent: ChatAgent, providers: Mapping[str, Access]
    ) -> AsyncIterator[ChatModel]:
        """
        Args:
            providers: of ``access_of``.
        """
        async with AsyncExitStack() as stack:
            endpoints: list[ChatEndpoint] = []
            for choice in choices(agent.llm):
                if choice.provider == CUSTOM:
                    http = await stack.enter_async_context(
                        self.guarded(agent.tenant_id, _ANSWER_SECONDS)
                    )
                    url = _own_address(agent.config.custom_llm_url or "")
                    endpoints.append(ChatEndpoint(choice, url, http, None))
                elif (access := providers.get(choice.provider)) is None:
                    continue
                elif access.own_url is not None:
                    http = await stack.enter_async_context(
                        self.guarded(agent.tenant_id, _ANSWER_SECONDS)
                    )
                    url = _own_address(access.own_url)
                    endpoints.append(ChatEndpoint(choice, url, http, access.key))
                else:
                    http = await stack.enter_async_context(connection(_ANSWER_SECONDS))
                    url = self._address(choice)
                    endpoints.append(ChatEndpoint(choice, url, http, access.key))
            if not endpoints:
                provider = agent.llm.primary.provider
                raise ProviderKeyUnavailable("llm", f"There is no key for {provider} any more.")
            yield ChatModel(tuple(endpoints), _ANSWER_SECONDS)

    def _address(self, choice: ProviderChoice) -> str:
        addresses = ProviderSettings(base_urls=self.settings.provider_base_urls)
        return chat_address(choice.provider, addresses.base_url(choice.provider))


def choices(llm: ResolvedChannel) -> Iterator[ProviderChoice]:
    """The models that are asked over the network, the first one first."""
    for choice in (llm.primary, llm.fallback):
        if choice is not None and choice.provider in {*CHAT_PROVIDERS, CUSTOM}:
            yield choice


def falls_back_on_playbook(llm: ResolvedChannel) -> bool:
    return llm.fallback is not None and llm.fallback.provider == LOCAL


async def access_of(
    session: AsyncSession, tenant_id: UUID, llm: ResolvedChannel, settings: ControlPlaneSettings
) -> dict[str, Access]:
    """What the models of ``llm`` need, by provider, as far as it still is there."""
    by_source: dict[str, list[str]] = {"own": [], "platform": []}
    for choice in choices(llm):
        by_source[choice.key_source].append(choice.provider)
    platform = settings.provider_api_keys
    servers = settings.provider_base_urls.keys() & {OPENAI_COMPATIBLE}
    found = {
        name: Access(platform.get(name))
        for name in by_source["platform"]
        if name in platform or name in servers
    }
    if by_source["own"] and await own_keys_allowed(session, tenant_id):
        server = await own_server(session, tenant_id)
        own_urls = {} if server is None else {OPENAI_COMPATIBLE: server.base_url}
        for provider, text in (await sealed_keys(session, tenant_id, by_source["own"])).items():
            key = _opened(settings, provider, text) or None
            found[provider] = Access(key, own_urls.get(provider))
    return found


def _opened(settings: ControlPlaneSettings, provider: str, sealed: str) -> str:
    try:
        return settings.sealer.open(sealed)
    except CannotOpen as error:
        raise ProviderKeyUnavailable(
            "llm", f"Your key for {provider} can no longer be read; set it again."
        ) from error


def _own_address(url: str) -> str:
    address = api_address(url, _PATH)
    return str(httpx2.URL(f"{address.root}{_PATH}").copy_with(query=address.query))
