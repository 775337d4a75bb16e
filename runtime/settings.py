"""The settings of a media worker."""

from __future__ import annotations

import secrets
import socket
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, ConfigDict, Field, PositiveInt

from contracts.call_plan import JOIN_TIMEOUT_SECONDS, LONGEST_CALL_SECONDS
from contracts.ice_servers import ice_servers
from contracts.ice_settings import IceSettings
from contracts.redis_names import CLAIM_TTL_SECONDS, LEASE_TTL_SECONDS
from knowledge.embedding.embedder import EmbeddingSettings
from runtime.headroom.limits import HeadroomLimits
from runtime.media.network.media_network import MediaNetwork, PortRange


def _address(text: str) -> str:
    return str(ip_address(text))


Address = Annotated[str, AfterValidator(_address)]
"""An IPv4 or IPv6 address."""

Milliseconds = Annotated[float, Field(ge=1)]


def new_worker_id() -> str:
    """Of this host and this start: no other worker has it, and no earlier one had it."""
    return f"{socket.gethostname()}-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


class WorkerOptions(IceSettings):
    """What the operator of an installation can choose. The command line reads these fields from
    the environment."""

    worker_id: Annotated[str, Field(min_length=1)] = Field(default_factory=new_worker_id)
    """By default a new one for each start. No two running workers may have the same."""
    slots: PositiveInt = 8
    """How many calls one worker runs at once."""
    drain_timeout_seconds: Annotated[float, Field(ge=0)] = (
        LONGEST_CALL_SECONDS + JOIN_TIMEOUT_SECONDS + 60
    )
    """How long a stopping worker lets its calls continue before it ends them, and a stopping bridge
    its phones. By default longer than any call can last."""
    lease_seconds: Annotated[int, Field(ge=CLAIM_TTL_SECONDS)] = LEASE_TTL_SECONDS
    """How long the calls of a worker that Redis does not hear are taken for alive. A worker that is
    cut off for longer loses them. A worker that died and does not start again leaves them for as
    long."""
    event_backlog_limit: PositiveInt = 240_000
    """How many events may wait in Redis for the control plane. Beyond that, workers keep new ones
    in their journals and report the meter less often."""
    journal_limit_mb: PositiveInt = 2_048
    """How large a worker's journals may be. Beyond that it takes no new calls."""
    frame_lateness_limit_ms: Milliseconds = HeadroomLimits.frame_lateness_ms
    """A worker is full when more than one frame in a hundred is mixed later than this; ``inf``: it
    is not judged by that. So with the next two."""
    loop_lag_limit_ms: Milliseconds = HeadroomLimits.loop_lag_ms
    """The same of what is due in its event loop."""
    model_queue_limit_ms: Milliseconds = HeadroomLimits.model_queue_ms
    """How long work may be with the local models, or wait for them."""
    media_ports: PortRange | None = None
    """UDP ports for callers' audio, such as ``40000-40999``; without it, any port of the machine.
    A participant takes one port for each of the machine's addresses."""
    media_addresses: tuple[Address, ...] = ()
    """Addresses under which callers reach this machine, beside its own: behind a NAT that passes
    the ports on, its public address."""
    phone_media_host: Address = "127.0.0.1"
    """Address that the worker listens on for the phone legs of bridges. It must be private: only
    bridges may reach it. ``0.0.0.0`` listens on all of the machine's."""
    phone_media_port: Annotated[int, Field(ge=0, le=65_535)] = 0
    """Its port; 0: any free one. Of several workers of a machine, each takes the next one."""
    phone_media_address: Annotated[str, Field(pattern=r"^wss?://[^/\s]+$")] | None = None
    """Under which bridges reach it, such as ``ws://10.0.0.5:40123``. Without it: the address that
    it listens on, or, if that is all, the one from which the worker reaches Redis. Of several
    workers of a machine, each has the next port here, too."""
    media_private_candidates: bool | None = None
    """Whether the worker sends STUN requests and media to private addresses that a caller's browser
    names. By default only if an address of ``media_addresses`` is private, or, without any, if this
    machine has no public one. Callers whose browsers reach the worker are heard either way."""


class WorkerSettings(WorkerOptions):
    model_config = ConfigDict(frozen=True)

    redis_url: str
    data_dir: Path
    """Holds the call journals. Only one running worker may use a directory. A worker that starts in
    the directory of one that died ends the calls that it finds there."""
    workers_dir: Path | None = None
    """Holds the directories of all workers on this disk. A worker that starts also ends the calls
    of those that died there, whatever their ids were."""
    object_store_url: str | None = None
    """Where recordings are stored. Without it, nothing is recorded."""
    knowledge_dir: Path | None = None
    """Holds copies of the passages that calls look up. All workers on this disk share it, and those
    that start later find what is there. Without it, the worker looks nothing up."""
    embedding: EmbeddingSettings = EmbeddingSettings()
    """The models that embed what callers ask."""

    @property
    def headroom_limits(self) -> HeadroomLimits:
        return HeadroomLimits(
            self.frame_lateness_limit_ms, self.loop_lag_limit_ms, self.model_queue_limit_ms
        )

    def media_network(self, call_id: UUID, now_seconds: float) -> MediaNetwork:
        """For the legs of one call; ``now_seconds`` since 1970."""
        return MediaNetwork(
            ice_servers=ice_servers(self, call_id, now_seconds),
            ports=self.media_ports,
            advertised_addresses=self.media_addresses,
            private_candidates=self.media_private_candidates,
        )
