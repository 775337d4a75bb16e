"""Structured logs: one JSON object per line for machines, colour for a terminal."""

from __future__ import annotations

import logging
import re
import sys
from pathlib import Path
from typing import Annotated, Any, Literal, TextIO

import structlog
from pydantic import AfterValidator


def _known(level: str) -> str:
    if level.upper() not in logging.getLevelNamesMapping():
        raise ValueError("must be debug, info, warning, error or critical")
    return level


LogFormat = Literal["auto", "json", "console"]
LogLevel = Annotated[str, AfterValidator(_known)]
"""In any case."""

_CREDENTIAL = re.compile(
    r"""((?:authorization|x-api-key|xi-api-key|x-goog-api-key)[\\'"]*\s*[:=,]\s*[\\'"]*"""
    r"""(?:(?:bearer|token|basic)\s+)?)[^\s\\'",)]+""",
    re.IGNORECASE,
)
_QUERY = re.compile(r"""(\b(?:https?|wss?)://[^\s'"?<>\\]*\?)[^\s'"<>\\]+""", re.IGNORECASE)
"""Of an address. Tenants put the keys of their own endpoints there."""
_ARGUMENTS = re.compile(r"(\[\d+\])\(.*\)")
"""Of a job, which procrastinate calls ``transfers.dial[7](to_number='+14155550123')``."""


def configure_logging(
    level: str = "info", log_format: LogFormat = "auto", stream: TextIO | None = None
) -> None:
    """Send structlog and the standard library's logging to ``stream``, or standard error.

    ``auto`` is ``console`` on a terminal and ``json`` everywhere else.
    """
    stream = stream or sys.stderr
    if log_format == "auto":
        log_format = "console" if stream.isatty() else "json"
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    final: list[structlog.typing.Processor] = [
        structlog.stdlib.ProcessorFormatter.remove_processors_meta
    ]
    if log_format == "json":
        # Without local variables: they hold callers' words, keys and passwords.
        tracebacks = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        final += [
            structlog.processors.ExceptionRenderer(tracebacks),
            structlog.processors.JSONRenderer(),
        ]
    else:
        final += [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
    final.append(_without_credentials)
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=final, foreign_pre_chain=[*shared, _without_arguments]
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    # It tells of each connection and its buffers at "info". Legs have events of their own.
    logging.getLogger("picows").setLevel(max(root.level, logging.WARNING))
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def log_to_file(data_dir: Path, name: str, level: str) -> None:
    """For commands that print for a person: log as JSON to ``{data_dir}/logs/{name}.log``."""
    directory = data_dir / "logs"
    directory.mkdir(parents=True, exist_ok=True)
    configure_logging(level, "json", (directory / f"{name}.log").open("a"))


def _without_arguments(
    _logger: object, _method: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    """procrastinate logs jobs with their arguments, such as the phone number to call."""
    if event["logger"].startswith("procrastinate"):
        event["event"] = _ARGUMENTS.sub(r"\1", event["event"])
        event.pop("job", None)
        event.pop("jobs", None)
    return event


def _without_credentials(_logger: object, _method: str, line: Any) -> str:
    """Libraries log requests with their addresses, and failed ones with all their headers."""
    return _QUERY.sub(r"\1[hidden]", _CREDENTIAL.sub(r"\1[hidden]", line))
