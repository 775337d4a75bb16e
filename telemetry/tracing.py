"""Traces of calls over both planes (OpenTelemetry), sent only if an endpoint is set.

The id of a call is the id of its trace, and the id of its root span follows from it. So every
process that works on a call adds to its trace without being told of it: a plan that waits for a
phone, an event that is applied and a job after the call carry nothing more than their call's id.

A span holds ids, names and times, never what people say, and no text of an error.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

import structlog

from telemetry.process_name import ProcessName
from telemetry.settings import TelemetryOptions

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Link, Tracer

CALL_ID = "call_id"
EXPORT_SECONDS = 2.0
"""How long one attempt to send spans may take."""
EXPORT_EVERY_MS = 2_000
FLUSH_SECONDS = 0.5
"""How long a process that ends tries to send its last spans."""

Attributes = Mapping[str, str | int | float | bool]


@dataclass(frozen=True)
class _Tracing:
    provider: TracerProvider
    tracer: Tracer


_client_trace: ContextVar[str | None] = ContextVar("client_trace", default=None)
_active: _Tracing | None = None
"""Of this process; ``None`` while nothing is traced."""


@contextmanager
def traced(process: ProcessName, options: TelemetryOptions) -> Iterator[None]:
    """Send the spans that are made within the block; without an endpoint none are made."""
    global _active
    if options.otlp_endpoint is None:
        yield
        return
    _active = _start(process, options.otlp_endpoint)
    try:
        yield
    finally:
        ended, _active = _active, None
        flush = threading.Thread(target=ended.provider.shutdown, daemon=True)
        flush.start()
        flush.join(FLUSH_SECONDS)


def _start(process: ProcessName, endpoint: str) -> _Tracing:
    # These imports take a third of a second, which only those pay who want traces.
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    from telemetry.trace_ids import TraceIds

    exporter = OTLPSpanExporter(f"{endpoint.rstrip('/')}/v1/traces", timeout=EXPORT_SECONDS)
    provider = TracerProvider(
        resource=Resource.create({"service.name": f"switchboard-{process}"}),
        id_generator=TraceIds(),
        shutdown_on_exit=False,
    )
    provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=EXPORT_EVERY_MS))
    # Not the global provider: the engine would send its own spans, which hold what people say.
    return _Tracing(provider, provider.get_tracer("switchboard"))


@contextmanager
def call_span(
    name: str, call_id: UUID, attributes: Attributes | None = None
) -> Iterator[dict[str, str | int | float | bool]]:
    """A span for the length of the block, in the trace of the call. With traces or without, what
    is logged within the block names the call.

    Yields:
        A dictionary for attributes that are known later.
    """
    with structlog.contextvars.bound_contextvars(**{CALL_ID: str(call_id)}):
        if _active is None:
            yield {}
            return
        with _running(_active.tracer, name, call_id, attributes) as added:
            yield added


@contextmanager
def _running(
    tracer: Tracer, name: str, call_id: UUID, attributes: Attributes | None
) -> Iterator[dict[str, str | int | float | bool]]:
    from opentelemetry.trace import Status, StatusCode, use_span

    added: dict[str, str | int | float | bool] = {}
    span = tracer.start_span(
        name,
        context=_context_of(call_id),
        attributes={CALL_ID: str(call_id), **(attributes or {})},
    )
    with use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
        try:
            yield added
        except Exception as error:
            span.set_status(Status(StatusCode.ERROR, type(error).__name__))
            raise
        finally:
            span.set_attributes(added)


def note_client_trace(traceparent: str | None) -> None:
    """The header ``traceparent`` (W3C Trace Context) of the request that this task serves. The call
    that it creates gets a link to the client's own trace."""
    _client_trace.set(traceparent)


def record_of_call(
    name: str, call_id: UUID, started_ns: int, attributes: Attributes, *, is_root: bool = False
) -> None:
    """A span in the trace of the call, from ``started_ns`` (Unix time) until now. The root is how
    the call was made."""
    if _active is None:
        return
    from opentelemetry.context import Context

    from telemetry.trace_ids import root_of

    token = root_of.set(call_id if is_root else None)
    try:
        span = _active.tracer.start_span(
            name,
            context=Context() if is_root else _context_of(call_id),
            attributes={CALL_ID: str(call_id), **attributes},
            links=_links_to_client() if is_root else (),
            start_time=started_ns,
        )
    finally:
        root_of.reset(token)
    span.end()


def here() -> Context | None:
    """Where spans can be added later, by ``record``; ``None`` while nothing is traced."""
    if _active is None:
        return None
    from opentelemetry.context import get_current

    return get_current()


def record(
    name: str,
    within: Context | None,
    started_at: float,
    ended_at: float,
    attributes: Attributes | None = None,
) -> Context | None:
    """A span of the past. Times are Unix times in seconds.

    Returns:
        Where spans within this one can be added.
    """
    if _active is None or within is None:
        return None
    from opentelemetry.trace import set_span_in_context

    span = _active.tracer.start_span(
        name,
        context=within,
        attributes=dict(attributes or {}),
        start_time=int(started_at * 1e9),
    )
    span.end(int(ended_at * 1e9))
    return set_span_in_context(span, within)


def _links_to_client() -> list[Link]:
    from opentelemetry.trace import Link, get_current_span
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier = {"traceparent": _client_trace.get() or ""}
    client = get_current_span(TraceContextTextMapPropagator().extract(carrier)).get_span_context()
    return [Link(client)] if client.is_valid and client.is_remote else []


def _context_of(call_id: UUID) -> Context:
    """Within the span that runs now if that is of the same call, otherwise within the root."""
    from opentelemetry.context import get_current
    from opentelemetry.trace import (
        NonRecordingSpan,
        SpanContext,
        TraceFlags,
        get_current_span,
        set_span_in_context,
    )

    from telemetry.trace_ids import root_span_id

    if get_current_span().get_span_context().trace_id == call_id.int:
        return get_current()
    root = SpanContext(
        trace_id=call_id.int,
        span_id=root_span_id(call_id),
        is_remote=True,
        trace_flags=TraceFlags(TraceFlags.SAMPLED),
    )
    return set_span_in_context(NonRecordingSpan(root))
