"""What a provider may use of its process, which all calls there share."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Protocol

from pipelines.settings import ProviderSettings

if TYPE_CHECKING:
    import aiohttp
    import httpx2

    from outbound.guarded_network import GuardedNetwork
    from pipelines.engine.providers.local.speech_models import LocalModels


class ProcessParts(Protocol):
    """The part of ``pipelines.engine.shared_models.WarmModels`` that factories need."""

    @property
    def settings(self) -> ProviderSettings: ...

    @property
    def local(self) -> LocalModels:
        """Those that need no network, loaded in this process or in the model process."""

    @property
    def http_session(self) -> aiohttp.ClientSession: ...

    @property
    def http_client(self) -> httpx2.AsyncClient:
        """For SDKs that use httpx2. Keys are in the requests, never in the client."""

    @property
    def tls(self) -> ssl.SSLContext:
        """For SDKs that would read all certificates of the world again for each client."""

    @property
    def tenants_network(self) -> GuardedNetwork:
        """To the tenants' own servers."""
