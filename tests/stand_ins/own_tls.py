"""TLS between a tenant's server on this machine and a worker that trusts it."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from outbound.guarded_network import GuardedNetwork
from outbound.policy import OutboundPolicy
from tests.outbound.self_signed import self_signed_certificate


@dataclass(frozen=True)
class OwnTls:
    server: ssl.SSLContext
    network: GuardedNetwork
    """Reaches 127.0.0.1."""


@contextlib.contextmanager
def own_tls(directory: Path) -> Iterator[OwnTls]:
    server, client = self_signed_certificate(directory, "127.0.0.1")
    network = GuardedNetwork(OutboundPolicy(("127.0.0.1/32",)), client)
    yield OwnTls(server, network)
    network.close()
