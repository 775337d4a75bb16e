"""An API on this machine that answers what a test tells it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    body: Any
    key: str | None


@dataclass
class StandInApi:
    url: str = ""
    answers: dict[tuple[str, str], tuple[int, Any]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    away: dict[tuple[str, str], list[int | None]] = field(default_factory=dict)
    """How the next requests fail: with a status, or ``None`` without an answer."""

    def will(self, method: str, path: str, status: int, document: Any = None) -> None:
        self.answers[method, path] = (status, document)

    def refuse(self, method: str, path: str, status: int, **problem: Any) -> None:
        self.will(method, path, status, {"title": "No", "status": status} | problem)


def _content(document: Any) -> bytes:
    """Bytes are an answer that is no JSON."""
    if isinstance(document, bytes):
        return document
    return b"" if document is None else json.dumps(document).encode()


@contextmanager
def stand_in_api() -> Iterator[StandInApi]:
    api = StandInApi()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            api.asked.append(
                Asked(self.command, self.path, body, self.headers.get("Authorization"))
            )
            if failures := api.away.get((self.command, self.path)):
                failure = failures.pop(0)
                if failure is not None:
                    self.send_error(failure)
                return
            missing = (404, {"code": "not_found", "detail": f"{self.command} {self.path}"})
            status, document = api.answers.get((self.command, self.path), missing)
            content = _content(document)
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    api.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield api
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
