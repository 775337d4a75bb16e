"""A gateway that sends SMS. It speaks the JSON-RPC of SMSEagle, which Apprise knows."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "token-of-the-gateway"


@dataclass
class SmsGateway:
    port: int = 0
    status: int = 200
    sent: list[tuple[str, str]] = field(default_factory=list)
    """Numbers and words, of what was accepted."""

    @property
    def apprise_url(self) -> str:
        return f"smseagle://{TOKEN}@127.0.0.1:{self.port}/{{to}}"

    @classmethod
    @contextmanager
    def serving(cls) -> Iterator[SmsGateway]:
        gateway = cls()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                params = asked["params"]
                is_fine = (
                    self.path == "/jsonrpc/sms"
                    and asked["method"] == "sms.send_sms"
                    and params["access_token"] == TOKEN
                    and gateway.status == 200
                )
                if is_fine:
                    gateway.sent.append((params["to"], params["message"]))
                result = {"message_id": len(gateway.sent), "status": "ok" if is_fine else "error"}
                content = json.dumps({"result": result}).encode()
                self.send_response(gateway.status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:
                """Says nothing."""

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            gateway.port = server.server_address[1]
            thread = threading.Thread(target=server.serve_forever, daemon=True)
            thread.start()
            try:
                yield gateway
            finally:
                server.shutdown()
                thread.join()
