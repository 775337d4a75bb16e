"""The child process that applies tenants' JSON Schemas. It imports nothing of ours, so that it
starts fast and is small, and it knows no secret.

It reads requests and writes answers, each a JSON document behind its length in 4 bytes. It limits
its own memory where the system can do that, and its processor time for each request. A request that
needs more kills it.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from contextlib import suppress
from typing import Any, NoReturn

import jsonschema_rs

MEMORY_BYTES = 512 * 2**20
"""Of address space. Python and the library take 100 MB of it."""
CPU_SECONDS = 1
"""For each request; up to one more, because the kernel counts whole seconds."""
MOST_FINDINGS = 12
LONGEST_FINDING = 300
LENGTH_BYTES = 4
NICENESS = 10
"""See nice(2): requests and calls on the same cores come first."""


def main() -> None:
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # macOS cannot set it, and nothing may raise it where it is lower already.
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    while length := sys.stdin.buffer.read(LENGTH_BYTES):
        request = json.loads(sys.stdin.buffer.read(int.from_bytes(length)))
        _allow_more_time()
        answer = json.dumps(_answer(request)).encode()
        sys.stdout.buffer.write(len(answer).to_bytes(LENGTH_BYTES) + answer)
        sys.stdout.buffer.flush()


def _allow_more_time() -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(used.ru_utime + used.ru_stime) + 1 + CPU_SECONDS
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, hard))


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    """With ``schemas`` in the request: what is wrong with each (``faults``). With a ``schema`` and
    a ``value``: what is wrong with the value (``findings``), and in which of its ``properties``."""
    if "schemas" in request:
        return {"faults": [_fault_of(schema) for schema in request["schemas"]]}
    findings: list[str] = []
    properties: set[str] = set()
    for found in _validator(request["schema"]).iter_errors(request["value"]):
        if found.instance_path:
            properties.add(str(found.instance_path[0]))
        if len(findings) < MOST_FINDINGS:
            place = "/".join(map(str, found.instance_path)) or "the object"
            findings.append(f"{place}: {found.message[:LONGEST_FINDING]}")
    return {"findings": findings, "properties": sorted(properties)}


def _fault_of(schema: dict[str, Any]) -> str | None:
    try:
        _validator(schema)
    except jsonschema_rs.ValidationError as error:
        reason, is_elsewhere, _ = error.message.partition(" and retrieving it failed")
        if is_elsewhere:
            return f"may only refer to its own parts (#/…): {reason[:LONGEST_FINDING]}"
        where = "/".join(map(str, error.instance_path))
        place = f" at {where}" if where else ""
        return f"is not a valid JSON Schema{place}: {reason[:LONGEST_FINDING]}"
    except (jsonschema_rs.ReferencingError, ValueError) as error:
        return f"is not a valid JSON Schema: {str(error)[:LONGEST_FINDING]}"
    return None


def _validator(schema: dict[str, Any]) -> Any:
    return jsonschema_rs.validator_for(schema, retriever=_refuse, validate_formats=True)


def _refuse(uri: str) -> NoReturn:
    raise ValueError(uri)


if __name__ == "__main__":
    main()
