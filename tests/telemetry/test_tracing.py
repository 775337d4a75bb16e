"""Spans of one call, sent to a collector: one trace, whatever made them."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from uuid import UUID

import pytest
import structlog
from structlog.testing import capture_logs

from runtime.conversation.turn_trace import trace_turn
from telemetry import tracing
from telemetry.process_name import ProcessName
from telemetry.settings import TelemetryOptions
from telemetry.tracing import call_span, note_client_trace, record_of_call, traced
from tests.stand_ins.trace_collector import TraceCollector

CALL = UUID("0197a1b2-0000-7000-8000-00000000abcd")
TRACE = CALL.hex
ROOT = "800000000000abcd"


@pytest.fixture
def collector() -> Iterator[TraceCollector]:
    with TraceCollector().serving() as collector:
        yield collector


def options(collector: TraceCollector) -> TelemetryOptions:
    return TelemetryOptions(otlp_endpoint=collector.endpoint)


def test_processes_that_know_only_the_call_add_to_one_trace(collector: TraceCollector) -> None:
    with traced(ProcessName.API, options(collector)):
        record_of_call("create call", CALL, time.time_ns(), {"agent_id": "a"}, is_root=True)
        with call_span("dispatch call", CALL):
            pass
    with traced(ProcessName.WORKER, options(collector)), call_span("run call", CALL) as later:
        with call_span("open room", CALL):
            pass
        later["end_reason"] = "completed"
    create, dispatch, run, room = collector.of_trace(TRACE)
    assert (create.span_id, create.parent_id) == (ROOT, "")
    assert (dispatch.parent_id, run.parent_id, room.parent_id) == (ROOT, ROOT, run.span_id)
    assert (create.service, run.service) == ("switchboard-api", "switchboard-worker")
    assert create.attributes == {"call_id": str(CALL), "agent_id": "a"}
    assert run.attributes == {"call_id": str(CALL), "end_reason": "completed"}


@pytest.mark.parametrize(
    ("traceparent", "links"),
    [
        (f"00-{'ab' * 16}-{'cd' * 8}-01", ("ab" * 16,)),
        ("00-nonsense", ()),
        (None, ()),
    ],
)
def test_a_new_call_is_linked_to_the_trace_of_the_client_that_made_it(
    collector: TraceCollector, traceparent: str | None, links: tuple[str, ...]
) -> None:
    with traced(ProcessName.API, options(collector)):
        note_client_trace(traceparent)
        record_of_call("create call", CALL, time.time_ns(), {}, is_root=True)
        record_of_call("end call", CALL, time.time_ns(), {})
    note_client_trace(None)
    assert [span.links for span in collector.of_trace(TRACE)] == [links, ()]


def test_a_span_of_another_call_is_in_the_trace_of_that_call(collector: TraceCollector) -> None:
    other = UUID(int=CALL.int + 1)
    with traced(ProcessName.JOBS, options(collector)), call_span("end call", CALL):
        with call_span("end call", other):
            pass
        record_of_call("end call", other, time.time_ns(), {})
    assert len(collector.of_trace(TRACE)) == 1
    assert len(collector.of_trace(other.hex)) == 2


def test_a_turn_shows_what_its_parts_took(collector: TraceCollector) -> None:
    with traced(ProcessName.WORKER, options(collector)), call_span("run call", CALL):
        trace_turn(
            tracing.here(),
            1_000_000.9,
            {
                "end_to_end_ms": 900,
                "end_of_turn_delay_ms": 300,
                "llm_first_token_ms": 200,
                "tts_first_byte_ms": None,
            },
        )
    turn, stt, llm, run = collector.of_trace(TRACE)
    assert [each.name for each in (turn, stt, llm)] == ["turn", "stt", "llm"]
    assert (turn.parent_id, stt.parent_id, llm.parent_id) == (
        run.span_id,
        turn.span_id,
        turn.span_id,
    )
    lasted_ms = [round((each.ended_ns - each.started_ns) / 1e6) for each in (turn, stt, llm)]
    assert lasted_ms == [900, 300, 200]
    assert abs(llm.started_ns - stt.ended_ns) < 1_000_000


def test_an_error_is_marked_and_its_text_stays_here(collector: TraceCollector) -> None:
    with (
        traced(ProcessName.JOBS, options(collector)),
        suppress(ValueError),
        call_span("analyse call", CALL),
    ):
        raise ValueError("what the caller said")
    [span] = collector.of_trace(TRACE)
    assert span.is_error
    assert "caller" not in str(span)


def test_log_lines_within_a_span_name_the_call_with_traces_or_without() -> None:
    with capture_logs(processors=[structlog.contextvars.merge_contextvars]) as logs:
        with call_span("run call", CALL) as later:
            later["end_reason"] = "nobody traces this"
            structlog.get_logger().info("here")
        structlog.get_logger().info("elsewhere")
    assert [entry.get("call_id") for entry in logs] == [str(CALL), None]


def test_without_an_endpoint_nothing_of_it_is_even_loaded() -> None:
    program = """
import sys
from uuid import UUID
from telemetry import tracing
from telemetry.process_name import ProcessName
from telemetry.settings import TelemetryOptions
with tracing.traced(ProcessName.API, TelemetryOptions()):
    with tracing.call_span("x", UUID(int=1)):
        pass
    tracing.record_of_call("x", UUID(int=1), 0, {})
    assert tracing.record("x", tracing.here(), 0, 0) is None
assert not [name for name in sys.modules if name.startswith("opentelemetry")]
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_collector_that_is_away_holds_nothing_up() -> None:
    begun_at = time.monotonic()
    with (
        traced(ProcessName.API, TelemetryOptions(otlp_endpoint="http://127.0.0.1:9")),
        call_span("run call", CALL),
    ):
        pass
    assert time.monotonic() - begun_at < tracing.FLUSH_SECONDS + 2
