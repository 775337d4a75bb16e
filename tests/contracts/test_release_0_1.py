"""Documents that release 0.1 wrote are read, with and without fields that it did not know.

``release_0_1/`` holds what that release's processes sent each other, as they sent it. The files
never change; a later release gets a folder of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel, ValidationError

from contracts.call_plan import CallPlan
from contracts.commands import Command, CommandReply
from contracts.dialing import DialReport, DialRequest
from contracts.events import CallEvent, EventBody
from contracts.heartbeat import CallMedia, WorkerHeartbeat
from contracts.versions import read_json, read_object

FOLDER = Path(__file__).parent / "release_0_1"
MODELS: dict[str, type[BaseModel]] = {
    "call_events.jsonl": CallEvent,
    "call_media.json": CallMedia,
    "call_plan.json": CallPlan,
    "command_replies.jsonl": CommandReply,
    "commands.jsonl": Command,
    "dial_report.json": DialReport,
    "dial_request.json": DialRequest,
    "worker_heartbeat.json": WorkerHeartbeat,
}


def documents() -> Iterator[tuple[str, str]]:
    for path in sorted(FOLDER.iterdir()):
        for line in path.read_text().splitlines():
            yield path.name, line


RECORDED = [pytest.param(MODELS[name], line, id=name) for name, line in documents()]


def with_unknown_fields(document: Any, read: Any) -> Any:
    """``document`` with one more field in each object for which ``read`` has a model."""
    if isinstance(read, BaseModel):
        names = {field.alias or name: name for name, field in type(read).model_fields.items()}
        known = {
            key: with_unknown_fields(document[key], getattr(read, names[key])) for key in document
        }
        return known | {"from_a_later_release": {"in": "parts"}}
    if isinstance(read, tuple | list):
        return [with_unknown_fields(*each) for each in zip(document, read, strict=True)]
    return document


def test_every_kind_of_event_of_the_release_is_recorded() -> None:
    recorded = {json.loads(line)["body"]["type"] for name, line in documents() if "event" in name}
    kinds = {body.model_fields["type"].default for body in get_args(get_args(EventBody)[0])}
    assert recorded == kinds


@pytest.mark.parametrize(("model", "line"), RECORDED)
def test_a_document_of_release_0_1_says_the_same_today(model: type[BaseModel], line: str) -> None:
    read = read_json(model, line)
    written = json.loads(read.model_dump_json(by_alias=True))
    recorded = json.loads(line)
    assert written == written | recorded
    assert read_object(model, recorded) == read


@pytest.mark.parametrize(("model", "line"), RECORDED)
def test_fields_of_a_later_release_are_ignored_wherever_they_stand(
    model: type[BaseModel], line: str
) -> None:
    read = read_json(model, line)
    later = with_unknown_fields(json.loads(line), read)
    assert later != json.loads(line)
    assert read_json(model, json.dumps(later)) == read
    assert read_object(model, later) == read


@pytest.mark.parametrize(
    ("model", "line"),
    [each for each in RECORDED if each.values[0] in (CallEvent, CallPlan, DialReport)],
)
def test_release_0_1_can_read_plans_and_reports_of_today(model: type[BaseModel], line: str) -> None:
    """That release refuses unknown fields."""
    assert json.loads(read_json(model, line).model_dump_json(by_alias=True)) == json.loads(line)


@pytest.mark.parametrize(("model", "line"), RECORDED)
def test_another_major_version_is_not_read(model: type[BaseModel], line: str) -> None:
    with pytest.raises(ValidationError):
        read_json(model, json.dumps(json.loads(line) | {"version": 2}))


def test_our_own_code_cannot_build_a_document_with_a_field_that_does_not_exist() -> None:
    plan = json.loads((FOLDER / "call_plan.json").read_text())
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        CallPlan(**plan, funds=1)
