"""Ports and media paths."""

from __future__ import annotations

import socket

import psutil

from switchboard.doctor.finding import Finding, fail, ok, warn
from switchboard.listening import OPEN_PORTS, user_of
from switchboard.services.ports import LOOPBACK, is_free
from switchboard.settings import Settings
from switchboard.state import State

_UDP_TIMEOUT_SECONDS = 1.0


def api_port(port: int, state: State | None) -> Finding:
    try:
        if is_free(port):
            return ok("API port", f"{port} is free")
        is_allowed = True
    except PermissionError:
        is_allowed = False
    if state is not None and state.api_url.endswith(f":{port}") and _lives(state):
        return ok("API port", f"{port} is in use by the Switchboard that runs here")
    if not is_allowed:
        return fail("API port", f"this user may not listen on {port}", OPEN_PORTS)
    return warn(
        "API port",
        f"{port} is in use by {user_of(port)}",
        "The next free port will be used; choose another with --port.",
    )


def proxies(settings: Settings) -> Finding:
    """The API speaks no TLS itself, so a public address with TLS is a proxy's."""
    if settings.trusted_proxies:
        return ok("Proxies", f"trusted: {', '.join(settings.trusted_proxies)}")
    if not settings.api_url.startswith("https:"):
        return ok("Proxies", "none is trusted")
    return warn(
        "Proxies",
        f"none is trusted, but {settings.api_url} needs one",
        "Set SWITCHBOARD_TRUSTED_PROXIES to its address; otherwise all clients count as one.",
    )


def tenants_addresses(settings: Settings) -> Finding:
    """Where tools, endpoints and model servers of tenants may be."""
    allowed = settings.outbound_allowed_networks
    if not allowed:
        return ok("Tenants' servers", "only those on the public internet are called")
    return ok("Tenants' servers", f"also those in {', '.join(allowed)} are called")


def ice_addresses() -> Finding:
    """Host candidates: the addresses to which browsers send their media."""
    addresses = sorted(
        address.address
        for interface in psutil.net_if_addrs().values()
        for address in interface
        if address.family == socket.AF_INET and not address.address.startswith("169.254.")
    )
    others = [address for address in addresses if not address.startswith("127.")]
    if others:
        return ok("ICE", f"media can reach this machine at {', '.join(others)}")
    if addresses:
        return warn(
            "ICE",
            "only the loopback has an address",
            "Calls work from this machine only; connect it to a network for others.",
        )
    return fail("ICE", "no network interface has an IPv4 address", "Bring the loopback up.")


def udp_loopback() -> Finding:
    """Sends a datagram to ourselves, as every call from this machine does."""
    try:
        with (
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver,
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
        ):
            receiver.bind((LOOPBACK, 0))
            receiver.settimeout(_UDP_TIMEOUT_SECONDS)
            sender.sendto(b"switchboard", receiver.getsockname())
            arrived = receiver.recv(64) == b"switchboard"
    except OSError as error:
        return fail("UDP", f"does not work on the loopback: {error}", "Check the firewall's rules.")
    if not arrived:
        return fail("UDP", "datagrams are changed on the way", "Check the firewall's rules.")
    return ok("UDP", "works on the loopback")


def _lives(state: State) -> bool:
    return bool(psutil.pid_exists(state.pids.get("up", -1)))
