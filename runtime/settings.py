"""The settings of a media worker."""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field, PositiveInt

from contracts.ice_settings import IceSettings
from runtime.media.media_network import MediaNetwork, PortRange


def _address(text: str) -> str:
    return str(ip_address(text))


Address = Annotated[str, AfterValidator(_address)]
"""An IPv4 or IPv6 address."""


class WorkerOptions(IceSettings):
    """What the operator of an installation can choose. The command line reads these fields from
    the environment."""

    worker_id: Annotated[str, Field(min_length=1)] = "local-1"
    slots: PositiveInt = 8
    """How many calls one worker runs at once."""
    drain_timeout_seconds: Annotated[float, Field(ge=0)] = 120
    """How long a stopping worker lets its calls continue before it ends them."""
    media_ports: PortRange | None = None
    """UDP ports for callers' audio, such as ``40000-40999``; without it, any port of the machine.
    A participant takes one port for each of the machine's addresses."""
    media_addresses: tuple[Address, ...] = ()
    """Addresses under which callers reach this machine, beside its own: behind a NAT that passes
    the ports on, its public address."""


class WorkerSettings(WorkerOptions):
    model_config = ConfigDict(frozen=True)

    redis_url: str
    data_dir: Path
    """Holds the call journals. Only one running worker may use a directory. A worker that starts in
    the directory of one that died ends the calls that it finds there."""
    object_store_url: str | None = None
    """Where recordings are stored. Without it, nothing is recorded."""

    def media_network(self) -> MediaNetwork:
        return MediaNetwork(
            ice_servers=self.ice_servers,
            ports=self.media_ports,
            advertised_addresses=self.media_addresses,
        )
