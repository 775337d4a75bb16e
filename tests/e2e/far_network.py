"""Callers in a network of their own, behind a link that loses, delays or stops packets.

The link has a TUN device on this machine and one in a network namespace. What goes into one comes
out of the other, through this process. It carries everything: requests, offers and media.
"""

from __future__ import annotations

import asyncio
import ctypes
import fcntl
import os
import random
import struct
import subprocess
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
_CLONE_NEWNET = 0x40000000
_LONGEST_PACKET = 65_536
_IPV4, _UDP = 4, 17

T = TypeVar("T")


@dataclass(frozen=True)
class Condition:
    """Of the link, in both directions."""

    loss: float = 0.0
    """The share of packets that are lost, each on its own."""
    longest_delay_ms: float = 0.0
    """Each packet is delayed on its own, so packets overtake each other."""
    only_udp_port: int | None = None
    """UDP passes only from and to this port."""


CLEAR = Condition()
BLACKOUT = Condition(loss=1.0)


@dataclass(frozen=True)
class _Device:
    name: str
    descriptor: int


class FarNetwork:
    """Exchange ``condition`` at any time, from any thread."""

    def __init__(self, near: _Device, far: _Device, subnet: str, namespace: str) -> None:
        self.condition = CLEAR
        self.near_address = f"{subnet}.1"
        self._far_addresses = [f"{subnet}.{last}" for last in (2, 3)]
        self._near, self._far, self._namespace = near, far, namespace
        self._random = random.Random(7)
        self._loop = asyncio.get_running_loop()
        self._connected = False

    def connect(self) -> None:
        _run("ip", "addr", "add", f"{self.near_address}/24", "dev", self._near.name)
        _run("ip", "link", "set", self._near.name, "up")
        _run("ip", "link", "set", self._far.name, "netns", self._namespace.split("/")[2])
        self._there("link", "set", "lo", "up")
        self._there("link", "set", self._far.name, "up")
        self._use(self._far_addresses[0])
        for source, target in ((self._near, self._far), (self._far, self._near)):
            self._loop.add_reader(source.descriptor, self._forward, source, target)
        self._connected = True

    def disconnect(self) -> None:
        self._connected = False
        for device in (self._near, self._far):
            self._loop.remove_reader(device.descriptor)

    async def run(self, main: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run ``main`` in a thread of its own, whose sockets are in the far network."""
        return await asyncio.to_thread(self._run_there, main)

    def _run_there(self, main: Callable[[], Coroutine[Any, Any, T]]) -> T:
        outcome: list[T] = []
        faults: list[BaseException] = []

        def there() -> None:
            try:
                _enter(self._namespace)
                outcome.append(asyncio.run(main()))
            except BaseException as fault:  # noqa: BLE001 - raised in the thread that waits
                faults.append(fault)

        # Not one of a pool: it never comes back to this machine's own network.
        thread = threading.Thread(target=there, name="far network")
        thread.start()
        thread.join()
        if faults:
            raise faults[0]
        return outcome[0]

    def change_address(self) -> None:
        """As when a telephone goes from one network to another."""
        old, new = self._far_addresses
        self._there("addr", "del", f"{old}/24", "dev", self._far.name)
        self._use(new)

    def _use(self, address: str) -> None:
        self._there("addr", "add", f"{address}/24", "dev", self._far.name)
        self._there("route", "replace", "default", "dev", self._far.name)

    def _there(self, *arguments: str) -> None:
        _run("nsenter", f"--net={self._namespace}", "ip", *arguments)

    def _forward(self, source: _Device, target: _Device) -> None:
        packet = os.read(source.descriptor, _LONGEST_PACKET)
        condition = self.condition
        if self._random.random() < condition.loss or not _may_pass(packet, condition):
            return
        delay_ms = self._random.uniform(0, condition.longest_delay_ms)
        if delay_ms:
            self._loop.call_later(delay_ms / 1000, self._deliver, target, packet)
        else:
            self._deliver(target, packet)

    def _deliver(self, target: _Device, packet: bytes) -> None:
        if self._connected:
            os.write(target.descriptor, packet)


@asynccontextmanager
async def far_network(port: int) -> AsyncIterator[FarNetwork]:
    """Its callers reach this machine's TCP ``port`` at ``near_address``.

    Needs root, and the programs ``ip``, ``unshare`` and ``nsenter``.
    """
    with _namespace() as namespace, _device() as near, _device() as far:
        subnet = f"10.77.{int(near.name.removeprefix(_PREFIX))}"
        network = FarNetwork(near, far, subnet, namespace)
        network.connect()
        try:
            async with forwarding(network.near_address, port, "127.0.0.1"):
                yield network
        finally:
            network.disconnect()


_PREFIX = "sbfar"


@contextmanager
def _namespace() -> Iterator[str]:
    """The path of a new network namespace, which lives as long as the process that is in it."""
    holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
    path = f"/proc/{holder.pid}/ns/net"
    try:
        while os.readlink(path) == os.readlink("/proc/self/ns/net"):
            time.sleep(0.01)
        yield path
    finally:
        holder.kill()
        holder.wait()


@contextmanager
def _device() -> Iterator[_Device]:
    """A TUN device, which is gone when its descriptor is closed."""
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    try:
        yield _Device(_named(descriptor), descriptor)
    finally:
        os.close(descriptor)


def _named(descriptor: int) -> str:
    """Give the device the first free name: tests run side by side."""
    for number in range(256):
        name = f"{_PREFIX}{number}"
        request = struct.pack("16sH22x", name.encode(), _IFF_TUN | _IFF_NO_PI)
        try:
            fcntl.ioctl(descriptor, _TUNSETIFF, request)
        except OSError:
            continue
        return name
    raise RuntimeError("no free name for a TUN device")


def _enter(namespace: str) -> None:
    """Of this thread only."""
    descriptor = os.open(namespace, os.O_RDONLY)
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.setns(descriptor, _CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter {namespace}")
    finally:
        os.close(descriptor)


def _may_pass(packet: bytes, condition: Condition) -> bool:
    if condition.only_udp_port is None or packet[0] >> 4 != _IPV4 or packet[9] != _UDP:
        return True
    header_bytes = (packet[0] & 0x0F) * 4
    ports = struct.unpack_from("!HH", packet, header_bytes)
    return condition.only_udp_port in ports


@asynccontextmanager
async def forwarding(host: str, port: int, to_host: str) -> AsyncIterator[None]:
    """TCP connections to ``host`` go on to the same port of ``to_host``."""

    connections: set[asyncio.Task[None]] = set()

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            onward_reader, onward_writer = await asyncio.open_connection(to_host, port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(_copy(reader, onward_writer), _copy(onward_reader, writer))

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = asyncio.create_task(forward(reader, writer))
        connections.add(connection)
        connection.add_done_callback(connections.discard)

    server = await asyncio.start_server(begin, host, port)
    try:
        yield
    finally:
        server.close()
        for connection in connections:
            connection.cancel()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(_LONGEST_PACKET):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass  # One of the two sides is gone; the other hears of it here.
    finally:
        writer.close()


def _run(*command: str) -> None:
    subprocess.run(command, check=True)
