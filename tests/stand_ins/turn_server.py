"""coturn on this machine, with the file that docker-compose.yml gives it."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from runtime.media.network.ice_addresses import local_ice_addresses

SECRET = "shared-with-coturn"
_CONFIGURATION = Path(__file__).parents[2] / "deploy/coturn/turnserver.conf"
_START_SECONDS = 10.0
_BINDING_REQUEST = b"\x00\x01\x00\x00\x21\x12\xa4\x42"
"""Type, length and magic cookie of STUN's smallest message (RFC 8489, section 5)."""


@dataclass(frozen=True)
class TurnServer:
    url: str
    port: int
    process: subprocess.Popen[bytes]


@contextmanager
def turn_server(program: str, directory: Path) -> Iterator[TurnServer]:
    """A TURN server over UDP. It relays from this machine's own address, to which legs listen."""
    address = next(each for each in local_ice_addresses() if "." in each)
    port = _free_udp_port(address)
    log_path = directory / "turnserver.log"
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            [
                program,
                *("-c", str(_CONFIGURATION)),
                # Each thread has a socket of its own on the port. While the second one opens, a
                # client's packets go from one thread to the other, which does not know the client.
                "--relay-threads=1",
                f"--static-auth-secret={SECRET}",
                f"--external-ip={address}",
                f"--allowed-peer-ip={address}",
                f"--pidfile={directory / 'turnserver.pid'}",
                f"--userdb={directory / 'turndb'}",
                f"--listening-ip={address}",
                f"--listening-port={port}",
            ],
            stdout=log,
            stderr=log,
            cwd=directory,
        )
        try:
            _wait_until_answering(address, port, process, log_path)
            yield TurnServer(f"turn:{address}:{port}?transport=udp", port, process)
        finally:
            process.kill()
            process.wait()


def _free_udp_port(address: str) -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind((address, 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_answering(
    address: str, port: int, process: subprocess.Popen[bytes], log_path: Path
) -> None:
    give_up_at = time.monotonic() + _START_SECONDS
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.connect((address, port))
        client.settimeout(0.1)
        while True:
            try:
                client.send(_BINDING_REQUEST + os.urandom(12))
                client.recv(1_500)
                return
            except OSError:
                if process.poll() is not None or time.monotonic() > give_up_at:
                    raise RuntimeError(log_path.read_text()) from None
                time.sleep(0.02)
