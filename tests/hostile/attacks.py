"""What a hostile tenant and a hostile caller do, each at a bounded rate, in a process of its own.

python -m tests.hostile.attacks SECONDS [NAME …], with the target as JSON on standard input
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import socket
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2
import psutil
from google_crc32c import value as crc32c

from switchboard.demo.account import agent_body
from switchboard_client import AsyncSwitchboard
from switchboard_client.webrtc.leg import CallLeg
from tests.runtime.media.network.test_sdp_offer import AUDIO, offer
from tests.stand_ins.silence import Silence

ATTACKS = {
    "save_schema_bomb": (1, 0.5),
    "bring_schema_bomb": (1, 0.5),
    "bring_schema_bomb_from_a_page": (1, 0.5),
    "save_slow_schema": (1, 2.0),
    "save_endless_list": (1, 3.0),
    "save_odd_template": (1, 1.0),
    "open_call": (1, 0.05),
    "guess_operator_token": (1, 0.1),
    "guess_password": (1, 0.2),
    "open_stream": (1, 1.0),
    "send_many_candidates": (1, 0.2),
    "send_noise": (1, 0.1),
    "be_a_caller": (1, 1.0),
    "hold_connection": (100, 1.0),
}
"""By name: how many at once, and the pause between two of them, in seconds."""
EXPECTED = {
    "save_schema_bomb": "400",
    "bring_schema_bomb": "400",
    "bring_schema_bomb_from_a_page": "403",
    "save_slow_schema": "400",
    "save_endless_list": "400",
    "save_odd_template": "201",
    "open_call": "429",
    "guess_operator_token": "429",
    "guess_password": "429",
    "open_stream": "closed",
    "send_many_candidates": "201",
    "send_noise": "sent",
    "be_a_caller": "stayed to the end",
    "hold_connection": "closed after 10 s",
}
"""An answer that shows that the attack reaches what it attacks, and that it is fended off."""
STREAMS = 30
LONG_WORD = "w" * 10_000
CANDIDATES = 400
_PAUSE_SECONDS = 0.05


@dataclass(frozen=True)
class Target:
    """The installation, and the hostile tenant's own agent and keys there."""

    url: str
    agent_id: str
    secret_key: str
    publishable_key: str
    worker_pids: list[int]


def bomb(levels: int = 40) -> dict[str, Any]:
    """A JSON Schema that doubles with each level."""
    definitions: dict[str, Any] = {f"d{levels}": {"type": "string"}}
    for level in range(levels):
        both = [{"$ref": f"#/$defs/d{level + 1}"}] * 2
        definitions[f"d{level}"] = {"anyOf": both}
    return {"type": "object", "$defs": definitions, "properties": {"x": {"$ref": "#/$defs/d0"}}}


class Attack:
    """Counts what it did and how it was answered."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self.answers: Counter[str] = Counter()
        self._http = httpx2.AsyncClient(base_url=target.url, timeout=30)
        self._secret = {"Authorization": f"Bearer {target.secret_key}"}
        self._publishable = {"Authorization": f"Bearer {target.publishable_key}"}
        self._call_body = {
            "agent_id": target.agent_id,
            "participants": [{"transport": "webrtc", "identity": "x"}],
        }

    async def run(self, seconds: float, names: Collection[str]) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
                for name in names:
                    at_once, pause = ATTACKS[name]
                    for _ in range(at_once):
                        group.create_task(self._repeat(name, pause))
        await self._http.aclose()

    async def _repeat(self, name: str, pause: float) -> None:
        act: Callable[[], Awaitable[object]] = getattr(self, name)
        while True:
            try:
                result = await act()
            except (httpx2.HTTPError, OSError) as error:
                result = type(error).__name__
            except Exception as error:  # noqa: BLE001 - an attack goes on, whatever it meets
                result = f"{type(error).__name__}"
            self.answers[f"{name} {result}"] += 1
            await asyncio.sleep(pause)

    async def _send(self, method: str, path: str, headers: dict[str, str], body: Any) -> int:
        answer = await self._http.request(method, path, headers=headers, json=body)
        return answer.status_code

    async def save_schema_bomb(self) -> int:
        body = agent_body() | _extracting(bomb())
        return await self._send("POST", "/v1/agents", self._secret, body)

    async def bring_schema_bomb(self) -> int:
        body = self._call_body | _extracting(bomb())
        return await self._send("POST", "/v1/calls", self._secret, body)

    async def bring_schema_bomb_from_a_page(self) -> int:
        body = self._call_body | _extracting(bomb())
        return await self._send("POST", "/v1/calls", self._publishable, body)

    async def save_slow_schema(self) -> int:
        """Small enough to be tried, and too slow to be compiled."""
        slow = {"type": "string", "pattern": "^(" + "a{0,900}" * 100 + "){0,900}$"}
        body = agent_body() | _extracting({"type": "object", "properties": {"x": slow}})
        return await self._send("POST", "/v1/agents", self._secret, body)

    async def save_endless_list(self) -> int:
        """As long as the API still parses."""
        handlers = [{"trigger": "no" * 20, "response": "yes"}] * 9_900
        body = agent_body()
        body["playbook"]["objectionHandlers"] = handlers
        return await self._send("POST", "/v1/agents", self._secret, body)

    async def save_odd_template(self) -> int:
        loop = "{% for i in range(9999999) %}x{% endfor %}"
        prompt = "{% autoescape true %}x{% endautoescape %}" + loop
        body = agent_body() | {"system_prompt": prompt}
        return await self._send("POST", "/v1/agents", self._secret, body)

    async def open_call(self) -> int:
        return await self._send("POST", "/v1/calls", self._publishable, self._call_body)

    async def guess_operator_token(self) -> int:
        guess = {"Authorization": f"Bearer {random.random()}"}
        return await self._send("GET", "/v1/operator/tenants", guess, None)

    async def guess_password(self) -> int:
        body = {"email": "owner@demo.example", "password": f"password {random.random()}"}
        return await self._send("POST", "/v1/auth/login", {}, body)

    async def open_stream(self) -> str:
        created = await self._http.post("/v1/calls", headers=self._secret, json=self._call_body)
        if created.status_code != httpx2.codes.CREATED:
            return f"no call: {created.status_code}"
        path = f"/v1/calls/{created.json()['id']}/stream"
        async with contextlib.AsyncExitStack() as streams:
            for _ in range(STREAMS):
                answer = await streams.enter_async_context(
                    self._http.stream("GET", path, headers=self._secret)
                )
                self.answers[f"stream {answer.status_code}"] += 1
            await asyncio.sleep(2)
        return "closed"

    async def send_many_candidates(self) -> int:
        created = await self._http.post("/v1/calls", headers=self._secret, json=self._call_body)
        if created.status_code != httpx2.codes.CREATED:
            return created.status_code
        access = created.json()["participants"][0]["access"]
        lines = "".join(
            f"a=candidate:{n} 1 udp {n} 203.0.113.{n % 250} {20_000 + n} typ host\r\n"
            for n in range(CANDIDATES)
        )
        bearer = {"Authorization": f"Bearer {access['token']}"}
        answer = await self._http.post(
            access["url"],
            headers=bearer | {"Content-Type": "application/sdp"},
            content=offer(AUDIO, mids="0") + lines,
        )
        return answer.status_code

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

    async def hold_connection(self) -> str:
        address = urlsplit(self._target.url)
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        try:
            writer.write(b"POST /v1/calls HTTP/1.1\r\nHost: ")
            began_at = time.monotonic()
            await reader.read()
            return f"closed after {round(time.monotonic() - began_at, -1):.0f} s"
        finally:
            writer.close()

    async def be_a_caller(self) -> str:
        """Be in a call whose agent says an endless word, and break its data channel."""
        async with AsyncSwitchboard(self._target.url, self._target.secret_key) as api:
            created = await api.request(
                "POST", "/v1/calls", body=self._call_body | {"variables": {"name": LONG_WORD}}
            )
            access = created["participants"][0]["access"]
            async with CallLeg(Silence()) as leg:
                await leg.connect(access["url"], access["token"])
                assert leg._connection is not None
                peer = leg._connection._peer
                (transceiver,) = peer.getTransceivers()
                for number in range(300):
                    await transceiver.sender.transport._send_data(_sctp(number))
                    await asyncio.sleep(_PAUSE_SECONDS)
            await api.request("POST", f"/v1/calls/{created['id']}/end")
        return "stayed to the end"


def _extracting(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema that was not seen before."""
    new = schema | {"description": str(random.random())}
    return {"post_call": {"structured_extraction": {"json_schema": new}}}


def _sctp(number: int) -> bytes:
    """An INIT whose parameter has no length, or garbage."""
    init = b"\x01\x00\x00\x18" + bytes(16) + b"\x80\x08\x00\x00"
    body = init if number % 2 else random.randbytes(40)
    header = b"\x13\x88\x13\x88" + bytes(4)
    checksum: int = crc32c(header + bytes(4) + body)
    return header + checksum.to_bytes(4, "little") + body


def target_as_json(target: Target) -> str:
    return json.dumps(asdict(target))


def main() -> None:
    attack = Attack(Target(**json.loads(sys.stdin.read())))
    asyncio.run(attack.run(float(sys.argv[1]), sys.argv[2:] or ATTACKS))
    sys.stdout.write(json.dumps(attack.answers))


if __name__ == "__main__":
    main()
