"""Whether we may send requests to an address that a tenant entered.

The same rules run twice. When the address is saved (``check_address``), they give a readable error.
When we connect (``outbound.client``), they protect us, because the name may point elsewhere by
then. Both use httpx2's own parser, so that we connect to what was checked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address

import httpx2

from outbound.ip_rules import refusal
from outbound.policy import OutboundPolicy
from outbound.resolver import IpAddress, Resolver, resolve

LONGEST_ADDRESS = 2048
_DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_PRIVATE_SUFFIXES = ("localhost", "localdomain", "local", "internal", "home.arpa")
_AUTHORITY = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://([^/?#]*)")
_HOST_AND_PORT = re.compile(r"(\[[^\]]*\]|[^:\[\]]*)(:[0-9]*)?")
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMERIC_LABEL = re.compile(r"[0-9]+|0x[0-9a-f]*")
_HTTPS = frozenset({"https"})


class AddressRefused(ValueError):
    """Why an address is refused, in a sentence for the person who entered it."""


@dataclass(frozen=True)
class Target:
    """What an address points to."""

    scheme: str
    host: str
    """A name in ASCII without a trailing dot, or an IP address without brackets."""
    port: int


async def check_address(
    url: str,
    policy: OutboundPolicy,
    *,
    schemes: frozenset[str] = _HTTPS,
    resolver: Resolver = resolve,
) -> None:
    """Refuse an address that we cannot or must not connect to.

    A name that has no IP addresses, or gets no answer in time, is accepted. Its owner may set it up
    later, and every connection checks it again.

    Raises:
        AddressRefused: wrong syntax or scheme, a name of a private network, or a name with an IP
            address outside the public internet and the policy's networks.
    """
    target = parse_address(url, policy, schemes=schemes)
    try:
        await public_addresses(target.host, policy, resolver)
    except TimeoutError:
        return


def parse_address(url: str, policy: OutboundPolicy, *, schemes: frozenset[str] = _HTTPS) -> Target:
    """Check the address without a look-up. Raises ``AddressRefused``."""
    parsed = _parse(url)
    if parsed.scheme not in schemes:
        expected = " or ".join(f"{scheme}://" for scheme in sorted(schemes))
        raise AddressRefused(f"The address must begin with {expected}.")
    port = parsed.port if parsed.port is not None else _DEFAULT_PORTS.get(parsed.scheme, 0)
    if not 1 <= port <= 65535:
        raise AddressRefused(f"Port {port} does not exist; ports go from 1 to 65535.")
    host = parsed.raw_host.decode("ascii")
    return Target(parsed.scheme, checked_host(host, policy), port)


def checked_host(host: str, policy: OutboundPolicy) -> str:
    """``host`` in the form for the look-up. Raises ``AddressRefused``."""
    literal = _ip_literal(host.removesuffix("."))
    if literal is not None:
        _require_public(str(literal), literal, policy)
        return str(literal)
    name = host.lower().removesuffix(".")
    labels = name.split(".")
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise AddressRefused(f"'{_shown(host)}' is not a valid host name.")
    if _NUMERIC_LABEL.fullmatch(labels[-1]):
        raise AddressRefused(
            f"'{host}' is an unusual way to write an IP address; use four decimal numbers."
        )
    # If the operator has allowed a private network, only the IP addresses of its names count.
    if not policy.allowed_networks and (
        len(labels) == 1 or any(f".{name}".endswith(f".{ending}") for ending in _PRIVATE_SUFFIXES)
    ):
        raise AddressRefused(f"'{host}' is a name of a private network, not of the internet.")
    return name


async def public_addresses(
    host: str, policy: OutboundPolicy, resolver: Resolver = resolve
) -> tuple[IpAddress, ...]:
    """Every IP address of ``host``, all of them allowed; empty if the name has none.

    Raises:
        AddressRefused: the host or one of its IP addresses is not allowed.
        TimeoutError: the name server did not answer in time.
    """
    name = checked_host(host, policy)
    literal = _ip_literal(name)
    if literal is not None:
        return (literal,)
    found = await resolver(name)
    for ip in found:
        _require_public(name, ip, policy)
    return found


def _parse(url: str) -> httpx2.URL:
    if len(url) > LONGEST_ADDRESS:
        raise AddressRefused(f"The address is longer than {LONGEST_ADDRESS} characters.")
    if any(character.isspace() or not character.isprintable() for character in url):
        raise AddressRefused("The address contains spaces or control characters.")
    if "\\" in url:
        raise AddressRefused("The address contains a backslash; separate its parts by '/'.")
    authority = _AUTHORITY.match(url)
    if authority is None or not authority[1]:
        raise AddressRefused("The address must be complete, like https://example.com/path.")
    if "@" in authority[1]:
        raise AddressRefused("The address must not contain a user name or password ('@').")
    if "%" in authority[1]:
        raise AddressRefused("The host of the address must not contain '%'.")
    if not _HOST_AND_PORT.fullmatch(authority[1]):
        raise AddressRefused("The host and port of the address cannot be read.")
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL as error:
        raise AddressRefused(f"The address cannot be read: {_shown(str(error))}.") from error
    if not parsed.raw_host:
        raise AddressRefused("The address names no host.")
    return parsed


def _ip_literal(host: str) -> IpAddress | None:
    for parse in (IPv4Address, IPv6Address):
        try:
            return parse(host)
        except AddressValueError:
            continue
    return None


def _require_public(host: str, ip: IpAddress, policy: OutboundPolicy) -> None:
    reason = refusal(ip, policy)
    if reason is None:
        return
    subject = str(ip) if host == str(ip) else f"'{_shown(host)}' leads to {ip}, which"
    raise AddressRefused(f"{subject} {reason}; only addresses of the public internet are called.")


def _shown(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"
