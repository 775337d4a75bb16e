"""What a connection needs of aiortc that has no public name. Should a later release keep it
elsewhere, a connection works without it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from aiortc import RTCDtlsTransport, RTCPeerConnection
from OpenSSL import SSL

LARGEST_DATAGRAM_BYTES = 1_500
"""The MTU of Ethernet, which no WebRTC peer exceeds."""
HANDSHAKE_REPEATED_AFTER_SECONDS = (0.04, 0.12)
"""When each datagram of a handshake is sent once more, counted from the first time."""
CONSENT_RETRANSMISSIONS = 3
"""Of a consent check, after 0.5, 1.5 and 3.5 s. It waits 7.5 s in all."""
_DTLS_FIRST_BYTES = range(20, 64)


def has_said_goodbye(peer: RTCPeerConnection) -> bool:
    """Whether the other side has closed its DTLS connection (RFC 8446, section 6.1). aiortc's own
    states are the same after a loss."""
    transport = peer.sctp.transport if peer.sctp is not None else None
    dtls = getattr(transport, "_ssl", None)
    return isinstance(dtls, SSL.Connection) and bool(dtls.get_shutdown() & SSL.RECEIVED_SHUTDOWN)


def protect_transport(peer: RTCPeerConnection) -> None:
    """Let no broken datagram end the connection, and no lost one delay it. Call it after the local
    description is set."""
    # There is one for each medium until the answer bundles them.
    for medium in (*(each.sender for each in peer.getTransceivers()), peer.sctp):
        if medium is not None:
            _drop_broken_datagrams(medium.transport)
            _repeat_handshake(medium.transport)
            _wait_for_consent(medium.transport)


def _drop_broken_datagrams(dtls: RTCDtlsTransport) -> None:
    """aiortc's transport dies of a datagram that is empty or too long, and anybody can send one."""
    ice = dtls.transport
    receive = getattr(ice, "_recv", None)
    if receive is None:
        return

    async def receive_whole() -> bytes:
        while True:
            datagram: bytes = await receive()
            if 2 <= len(datagram) <= LARGEST_DATAGRAM_BYTES:
                return datagram

    # In place of the method, for this object only.
    ice.__dict__["_recv"] = receive_whole


def _repeat_handshake(dtls: RTCDtlsTransport) -> None:
    """OpenSSL waits 1 s for an answer before it repeats, then 2 s and 4 s (RFC 6347, section
    4.2.4.1). The server drops what comes twice by its record number (section 4.1.2.6)."""
    ice = dtls.transport
    send = getattr(ice, "_send", None)
    if send is None:
        return
    repeating: set[asyncio.Task[None]] = set()

    async def repeat(datagram: bytes) -> None:
        sent_at = asyncio.get_running_loop().time()
        for after in HANDSHAKE_REPEATED_AFTER_SECONDS:
            await asyncio.sleep(sent_at + after - asyncio.get_running_loop().time())
            try:
                await send(datagram)
            except ConnectionError:
                return

    async def send_surely(datagram: bytes) -> None:
        await send(datagram)
        if datagram[0] in _DTLS_FIRST_BYTES and dtls.state == "connecting":
            task = asyncio.create_task(repeat(datagram), name="repeat-handshake")
            repeating.add(task)
            task.add_done_callback(repeating.discard)

    ice.__dict__["_send"] = send_surely


def _wait_for_consent(dtls: RTCDtlsTransport) -> None:
    """aioice sends each consent check (RFC 7675) once and waits 0.5 s. Where packets need longer to
    go and come back, it would end a sound connection after 30 s."""
    gatherer = getattr(dtls.transport, "iceGatherer", None)
    for protocol in getattr(getattr(gatherer, "_connection", None), "_protocols", ()):
        if hasattr(protocol, "request"):
            protocol.__dict__["request"] = _repeating(protocol.request)


def _repeating(request: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
    async def requested(*arguments: object, **options: object) -> object:
        # Only consent checks are sent once.
        if options.get("retransmissions") == 0:
            options["retransmissions"] = CONSENT_RETRANSMISSIONS
        return await request(*arguments, **options)

    return requested
