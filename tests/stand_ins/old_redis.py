"""A server that says it is an old Redis, and nothing else."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def old_redis(version: str) -> Iterator[str]:
    """Its address: ``redis://…``."""
    info = f"redis_version:{version}\r\n".encode()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while head := self.rfile.readline():
                words = [self._word() for _ in range(int(head[1:]))]
                if words[0].upper() == b"INFO":
                    self.wfile.write(b"$%d\r\n%s\r\n" % (len(info), info))
                else:
                    self.wfile.write(b"+OK\r\n")

        def _word(self) -> bytes:
            length = int(self.rfile.readline()[1:])
            return self.rfile.read(length + 2)[:-2]

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        serving = threading.Thread(target=server.serve_forever, daemon=True)
        serving.start()
        try:
            yield f"redis://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            serving.join()
