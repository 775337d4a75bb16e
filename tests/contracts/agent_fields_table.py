"""``docs/agent-fields.md``: each field of an agent, what it does on a call, and the test that shows
it. What a field does stands in ``agent_fields.toml``, its default in the contract."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from contracts.agent_config import AgentConfig

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "agent-fields.md"
_SAID = Path(__file__).with_name("agent_fields.toml")
_BEGIN, _END = "<!-- fields -->\n", "<!-- /fields -->\n"
_NO_DEFAULT = "required"


@dataclass(frozen=True)
class AgentField:
    path: str
    """On the wire: ``advanced.replyDelay``, ``playbook.scripts[].when``,
    ``tools[call_webhook].url``."""
    default: str


@dataclass(frozen=True)
class Said:
    does: str
    test: str
    """``folder/test_file.py::test_name`` below ``tests/``."""


def fields() -> list[AgentField]:
    return list(_fields_of(AgentConfig, ""))


def said() -> dict[str, Said]:
    rows = tomllib.loads(_SAID.read_text())
    return {path: Said(**row) for path, row in rows.items()}


def with_table(page: str) -> str:
    """``page`` with the present table in place of the one that it holds."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    known = said()
    rows = "".join(_row(each, known[each.path]) for each in fields())
    head = "| field | default | on a call | shown by |\n|---|---|---|---|\n"
    return f"{before}{_BEGIN}\n{head}{rows}\n{_END}{after}"


def _row(field: AgentField, row: Said) -> str:
    return f"| `{field.path}` | {field.default} | {row.does} | `{row.test}` |\n"


def _fields_of(model: type[BaseModel], prefix: str) -> Iterator[AgentField]:
    for name, info in model.model_fields.items():
        path = prefix + (info.alias or name)
        inner = list(dict.fromkeys(_models_in(info.annotation)))
        if not inner or path.endswith("].headers"):
            yield AgentField(path, _default(info))
        elif len(inner) == 1:
            many = "[]" if _is_list(info.annotation) else ""
            yield from _fields_of(inner[0], f"{path}{many}.")
        else:
            for each in inner:
                [kind] = get_args(each.model_fields["type"].annotation)
                yield from _fields_of_tool(each, f"{path}[{kind}].")


def _fields_of_tool(model: type[BaseModel], prefix: str) -> Iterator[AgentField]:
    return (each for each in _fields_of(model, prefix) if not each.path.endswith("].type"))


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models_in(inner)


def _is_list(annotation: Any) -> bool:
    origins = [annotation, *get_args(annotation)]
    return any(getattr(each, "__origin__", None) is tuple for each in origins)


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return _NO_DEFAULT
    value = info.get_default(call_default_factory=True, validated_data={})
    return f"`{json.dumps(value, default=list)}`"
