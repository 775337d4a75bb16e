from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import aiohttp
import httpx2
import procrastinate
import pytest
import structlog
from multidict import CIMultiDict, CIMultiDictProxy
from procrastinate.testing import InMemoryConnector
from yarl import URL

from switchboard.logs import configure_logging


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    root.handlers = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def _lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_both_kinds_of_logger_write_one_json_object_per_line() -> None:
    stream = io.StringIO()
    configure_logging("info", "json", stream)
    structlog.get_logger("ours").info("call ended", call_id="c-1")
    logging.getLogger("theirs").warning("slow")
    ours, theirs = _lines(stream)
    assert (ours["event"], ours["call_id"], ours["logger"]) == ("call ended", "c-1", "ours")
    assert (theirs["event"], theirs["level"]) == ("slow", "warning")


def test_less_than_the_level_is_left_out() -> None:
    stream = io.StringIO()
    configure_logging("warning", "json", stream)
    structlog.get_logger("ours").info("detail")
    assert stream.getvalue() == ""


@pytest.mark.parametrize("log_format", ["json", "console"])
def test_a_traceback_does_not_show_local_variables(log_format: str) -> None:
    stream = io.StringIO()
    configure_logging("info", log_format, stream)  # type: ignore[arg-type]
    password = "hunter2"
    try:
        raise ValueError(f"length {len(password)}")
    except ValueError:
        structlog.get_logger("ours").exception("failed")
    assert "length 7" in stream.getvalue()
    assert password not in stream.getvalue()


@pytest.mark.parametrize("log_format", ["json", "console"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer sk-hush"},
        {"authorization": "Token sk-hush"},
        {"xi-api-key": "sk-hush"},
        {"X-API-Key": "sk-hush"},
        {"x-goog-api-key": "sk-hush"},
    ],
)
def test_a_request_s_headers_are_shown_without_the_key(
    log_format: str, headers: dict[str, str]
) -> None:
    stream = io.StringIO()
    configure_logging("info", log_format, stream)  # type: ignore[arg-type]
    refused = aiohttp.WSServerHandshakeError(
        aiohttp.RequestInfo(
            URL("wss://vendor.test"), "GET", CIMultiDictProxy(CIMultiDict(headers))
        ),
        (),
        status=401,
    )
    assert "sk-hush" in repr(refused)
    logging.getLogger("theirs").warning("failed: %r", refused, extra={"error": refused})
    assert stream.getvalue().count("status=401") == 2
    assert "sk-hush" not in stream.getvalue()
    if log_format == "json":
        assert _lines(stream)[0]["level"] == "warning"


@pytest.mark.parametrize("log_format", ["json", "console"])
async def test_an_address_is_shown_without_its_query(log_format: str) -> None:
    stream = io.StringIO()
    configure_logging("info", log_format, stream)  # type: ignore[arg-type]
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200))
    async with httpx2.AsyncClient(transport=transport) as client:
        await client.post("https://llm.example.com/v1/chat/completions?key=sk-hush&b=c")
    logging.getLogger("theirs").warning("failed: %r", "wss://a.example/speak?key=sk-hush")
    said = stream.getvalue()
    assert "https://llm.example.com/v1/chat/completions?[hidden]" in said
    assert "wss://a.example/speak?[hidden]" in said
    assert "sk-hush" not in said
    assert "200 OK" in said
    if log_format == "json":
        assert len(_lines(stream)) == 2


@pytest.mark.parametrize("log_format", ["json", "console"])
async def test_a_job_is_shown_without_its_arguments(log_format: str) -> None:
    jobs = procrastinate.App(connector=InMemoryConnector())

    @jobs.task(name="transfers.dial", retry=procrastinate.RetryStrategy(max_attempts=1))
    async def dial(to_number: str) -> None:
        raise ValueError("no carrier")

    stream = io.StringIO()
    configure_logging("debug", log_format, stream)  # type: ignore[arg-type]
    async with jobs.open_async():
        await dial.defer_async(to_number="+1 (415) 555-0123")
        await jobs.run_worker_async(wait=False, install_signal_handlers=False)
    said = stream.getvalue()
    assert "Starting job transfers.dial[1]" in said
    assert "Job transfers.dial[1]" in said
    assert said.count("no carrier") >= 2, "both tries say why they failed"
    assert "555-0123" not in said
