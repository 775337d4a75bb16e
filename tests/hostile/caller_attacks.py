"""What a hostile caller does to media workers, and to the jobs that follow a call."""

from __future__ import annotations

import asyncio
import random
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import Any

import httpx2
import psutil
from aiortc import RTCSctpTransport
from aiortc.rtcsctptransport import DataChunk, SackChunk, tsn_plus_one
from google_crc32c import value as crc32c

from switchboard_client import ApiError, AsyncSwitchboard
from switchboard_client.webrtc.leg import CONNECT_TIMEOUT_SECONDS, SILENT_SECONDS, CallLeg
from tests.hostile.api_attacks import told
from tests.hostile.costly_schemas import extracting, slow_to_apply
from tests.hostile.target import Target
from tests.runtime.media.network.test_hostile_messages import FIRST
from tests.runtime.media.network.test_sdp_offer import AUDIO, offer
from tests.runtime.until import until
from tests.stand_ins.silence import Silence

LONG_WORD = "w" * 10_000
CANDIDATES = 400
OFFERS = 6
UNFINISHED_AT_ONCE, UNFINISHED_BYTES, STREAMS = 20, 1_100, 60
OPENER_SECONDS = 6.0
"""Until the agent has said something that can be analysed."""
_PAUSE_SECONDS = 0.05
_TURNS = 300
_RECEIVE_SACK_CHUNK = "_receive_sack_chunk"
_TOO_COSTLY = "too much time or memory"


class CallerAttacks:
    """Each method is one try, and returns what came of it."""

    def __init__(self, target: Target, http: httpx2.AsyncClient) -> None:
        self._target = target
        self._http = http
        self._costly_call: str | None = None
        self._plain_call: str | None = None

    async def send_many_candidates(self) -> int:
        lines = "".join(
            f"a=candidate:{n} 1 udp {n} 203.0.113.{n % 250} {20_000 + n} typ host\r\n"
            for n in range(CANDIDATES)
        )
        created = await self._created()
        if created.status_code != HTTPStatus.CREATED:
            return created.status_code
        return await self._offer(created, offer(AUDIO, mids="0") + lines)

    async def offer_at_once(self) -> str:
        """Several offers of one participant."""
        created = await self._created()
        if created.status_code != HTTPStatus.CREATED:
            return str(created.status_code)
        sdp = offer(AUDIO, mids="0")
        statuses = await asyncio.gather(*(self._offer(created, sdp) for _ in range(OFFERS)))
        return " and ".join(map(str, sorted(set(statuses))))

    async def send_noise(self) -> str:
        """A datagram to each UDP socket of the workers."""
        workers = [psutil.Process(pid) for pid in self._target.worker_pids]
        sockets = [
            (each.family, each.laddr)
            for worker in workers
            for each in worker.net_connections("udp")
        ]
        for family, address in sockets:
            with socket.socket(family, socket.SOCK_DGRAM) as stranger:
                stranger.setblocking(False)
                noise = random.randbytes(random.choice((0, 1, 13, 1_400, 3_000)))
                stranger.sendto(noise, tuple(address))
        return "sent" if sockets else "found no socket"

    async def be_a_caller(self) -> str:
        """Be in a call whose agent says an endless word, and break its data channel."""
        async with self._in_call({"variables": {"name": LONG_WORD}}) as (leg, _):
            association = await _association_of(leg)

            async def break_channel(number: int) -> None:
                await association.transport._send_data(_sctp(number))

            return await _stay(leg, association, break_channel)

    async def finish_no_message(self) -> str:
        """Be in a call, and begin messages on all streams of the data channel's association: after
        a second, the worker keeps as many as it ever does."""
        async with self._in_call({}) as (leg, _):
            association = await _association_of(leg)
            room = _Room(association)

            async def begin_messages(number: int) -> None:
                for at in range(UNFINISHED_AT_ONCE):
                    await _begin_message(association, (number + at) % STREAMS)

            outcome = await _stay(leg, association, begin_messages)
            return outcome if room.is_full else f"{outcome}, and filled nothing"

    async def take_a_slot(self) -> str:
        """Be in a call until the attack is over. There are more who try than there are slots."""
        async with self._in_call({"variables": {"name": LONG_WORD}}):
            await asyncio.Event().wait()
        return "left"

    async def apply_costly_schema(self) -> str:
        """Have a call analysed, again and again, by a schema that was accepted."""
        if self._costly_call is None:
            self._costly_call = await self._ended_call(extracting(slow_to_apply()))
        analysed = await self._analysed(self._costly_call)
        if _TOO_COSTLY in str(analysed["intelligence"]["errors"]):
            status = await self._reprocess(self._costly_call)
            return f"refused, {status} for another try"
        return f"analysed: {analysed['intelligence']}"[:200]

    async def reprocess_without_end(self) -> str:
        if self._plain_call is None:
            self._plain_call = await self._ended_call({})
        return await self._reprocess(self._plain_call)

    async def _created(self) -> httpx2.Response:
        target = self._target
        return await self._http.post("/v1/calls", headers=target.secret, json=target.call_body)

    async def _offer(self, created: httpx2.Response, sdp: str) -> int:
        access = created.json()["participants"][0]["access"]
        headers = {
            "Authorization": f"Bearer {access['token']}",
            "Content-Type": "application/sdp",
        }
        answer = await self._http.post(access["url"], headers=headers, content=sdp)
        return answer.status_code

    async def _reprocess(self, call_id: str) -> str:
        path = f"/v1/calls/{call_id}/reprocess"
        return told(await self._http.post(path, headers=self._target.secret))

    async def _ended_call(self, wishes: dict[str, Any]) -> str:
        async with self._in_call(wishes) as (_, call_id):
            await asyncio.sleep(OPENER_SECONDS)
        return call_id

    async def _analysed(self, call_id: str) -> dict[str, Any]:
        async with AsyncSwitchboard(self._target.url, self._target.secret_key) as api:
            while True:
                call: dict[str, Any] = await api.request("GET", f"/v1/calls/{call_id}")
                if call["ended_at"] and call["intelligence_status"] != "pending":
                    return call
                await asyncio.sleep(0.5)

    @asynccontextmanager
    async def _in_call(self, wishes: dict[str, Any]) -> AsyncIterator[tuple[CallLeg, str]]:
        async with AsyncSwitchboard(self._target.url, self._target.secret_key) as api:
            body = self._target.call_body | wishes
            created = await api.request("POST", "/v1/calls", body=body)
            access = created["participants"][0]["access"]
            async with CallLeg(Silence()) as leg:
                await leg.connect(access["url"], access["token"])
                yield leg, created["id"]
            # Often it is over, because its only participant has left.
            with suppress(ApiError):
                await api.request("POST", f"/v1/calls/{created['id']}/end")


def _peer_of(leg: CallLeg) -> Any:
    assert leg._connection is not None
    return leg._connection._peer


async def _association_of(leg: CallLeg) -> RTCSctpTransport:
    """That of its data channel, once messages can be sent."""
    association: RTCSctpTransport = _peer_of(leg).sctp
    await until(lambda: association.state == "connected", CONNECT_TIMEOUT_SECONDS)
    return association


async def _stay(
    leg: CallLeg, association: RTCSctpTransport, act: Callable[[int], Awaitable[None]]
) -> str:
    """Act in each turn, as long as the leg has the connection that it had at first, and say how
    that ended. A turn that is late has no pause, so that a slow machine makes no call longer."""
    loop = asyncio.get_running_loop()
    began_at = loop.time()
    for number in range(_TURNS):
        await asyncio.sleep(began_at + number * _PAUSE_SECONDS - loop.time())
        try:
            await act(number)
        except ConnectionError:
            return "lost its connection"
        if association.state != "connected":
            return "had its association aborted"
    return "stayed to the end" if await _hears(leg) else "heard nothing at the end"


async def _hears(leg: CallLeg) -> bool:
    """Whether there is sound that comes from now on."""
    since = time.monotonic()
    with suppress(TimeoutError):
        async with asyncio.timeout(SILENT_SECONDS):
            async for frame in leg.listen():
                if frame.received_at > since:
                    return True
    return False


class _Room:
    """What the other side still takes of unfinished messages, by its acknowledgements."""

    def __init__(self, association: RTCSctpTransport) -> None:
        self._bytes: int | None = None
        receive = association._receive_sack_chunk

        async def received(chunk: SackChunk) -> None:
            self._bytes = chunk.advertised_rwnd
            await receive(chunk)

        setattr(association, _RECEIVE_SACK_CHUNK, received)

    @property
    def is_full(self) -> bool:
        """Not one more chunk fits."""
        return self._bytes is not None and self._bytes < UNFINISHED_BYTES


async def _begin_message(association: RTCSctpTransport, stream_id: int) -> None:
    chunk = DataChunk(flags=FIRST)
    chunk.tsn, association._local_tsn = (
        association._local_tsn,
        tsn_plus_one(association._local_tsn),
    )
    chunk.stream_id, chunk.protocol = stream_id, 51
    chunk.user_data = b"x" * UNFINISHED_BYTES
    await association._send_chunk(chunk)


def _sctp(number: int) -> bytes:
    """An INIT whose parameter has no length, or garbage."""
    init = b"\x01\x00\x00\x18" + bytes(16) + b"\x80\x08\x00\x00"
    body = init if number % 2 else random.randbytes(40)
    header = b"\x13\x88\x13\x88" + bytes(4)
    checksum: int = crc32c(header + bytes(4) + body)
    return header + checksum.to_bytes(4, "little") + body
