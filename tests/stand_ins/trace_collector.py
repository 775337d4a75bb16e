"""A collector of traces: it receives OTLP over HTTP and keeps the spans."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True)
class ReceivedSpan:
    """Ids are in hexadecimal digits, as collectors show them."""

    service: str
    name: str
    trace_id: str
    span_id: str
    parent_id: str
    """Empty for a root."""
    started_ns: int
    ended_ns: int
    attributes: dict[str, str]
    is_error: bool
    links: tuple[str, ...] = ()
    """The traces that it is linked to."""


class TraceCollector:
    def __init__(self) -> None:
        self.spans: list[ReceivedSpan] = []
        self.endpoint = ""

    def of_trace(self, trace_id: str) -> list[ReceivedSpan]:
        """By their beginnings."""
        found = [span for span in self.spans if span.trace_id == trace_id]
        return sorted(found, key=lambda span: span.started_ns)

    @contextlib.contextmanager
    def serving(self) -> Iterator[TraceCollector]:
        """Listens on 127.0.0.1 at ``endpoint``."""
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                accepted = self.path == "/v1/traces"
                if accepted:
                    collector.receive(body)
                self.send_response(200 if accepted else 404)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                return

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def receive(self, body: bytes) -> None:
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            named = {each.key: each.value.string_value for each in resource.resource.attributes}
            for scope in resource.scope_spans:
                for span in scope.spans:
                    self.spans.append(
                        ReceivedSpan(
                            service=named["service.name"],
                            name=span.name,
                            trace_id=span.trace_id.hex(),
                            span_id=span.span_id.hex(),
                            parent_id=span.parent_span_id.hex(),
                            started_ns=span.start_time_unix_nano,
                            ended_ns=span.end_time_unix_nano,
                            attributes={
                                each.key: each.value.string_value for each in span.attributes
                            },
                            is_error=span.status.code == 2,
                            links=tuple(link.trace_id.hex() for link in span.links),
                        )
                    )
