"""Which addresses a webhook may have. Source: API spec, "URL safety rules".

Rules 1 to 5 are those of every address of a tenant; rule 6 is stricter: a name must have an IP
address already. The address that is dialed is checked again at each try (``outbound``).
"""

from __future__ import annotations

from control_plane.platform.errors import InvalidRequest
from control_plane.platform.settings import ControlPlaneSettings
from outbound.address import AddressRefused, parse_address, public_addresses
from outbound.policy import OutboundPolicy
from outbound.resolver import Resolver

FIELD = "url"


async def check_url(url: str, settings: ControlPlaneSettings, resolver: Resolver) -> None:
    """
    Raises:
        InvalidRequest: the address breaks a rule.
    """
    policy = OutboundPolicy(settings.outbound_allowed_networks)
    schemes = {"https", "http"} if settings.environment == "test" else {"https"}
    try:
        target = parse_address(url, policy, schemes=frozenset(schemes))
        found = await public_addresses(target.host, policy, resolver)
    except AddressRefused as refused:
        raise InvalidRequest.at(FIELD, str(refused)) from refused
    except TimeoutError as late:
        raise InvalidRequest.at(
            FIELD, "The host's name could not be resolved: the name server did not answer in time."
        ) from late
    if not found:
        raise InvalidRequest.at(
            FIELD, f"'{target.host}' could not be resolved: no IP address is known for the name."
        )
