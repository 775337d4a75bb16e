"""Writes the client's types and error classes from the API's own OpenAPI document.

    python clients/python/generate.py          write them
    python clients/python/generate.py --check  exit with 1, and print the difference, if stale

``make client-types`` runs it. It needs the project's development environment. The client does not,
because the written files are committed.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent / "src" / "switchboard_client"
ROOT = Path(__file__).resolve().parents[2]
LINE_LENGTH = 100
SCHEMA_PREFIX = "#/components/schemas/"
BASE_PROBLEM = "Problem"
WRITTEN_BY = "Written by generate.py from the API's OpenAPI document."

LIMITS = frozenset(
    {
        "title",
        "examples",
        "example",
        "pattern",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minItems",
        "maxItems",
        "uniqueItems",
        "propertyNames",
        "writeOnly",
        "contentMediaType",
        "contentSchema",
    }
)
KEPT_FORMATS = frozenset({"uuid", "date-time"})

Document = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if stale")
    check = parser.parse_args().check
    sys.path.insert(0, str(ROOT))
    document = api_document()
    problems = declared_problems(document)
    files = {
        PACKAGE / "models.py": models_module(document, problems),
        PACKAGE / "live_messages.py": live_messages_module(),
        PACKAGE / "problems.py": problems_module(problems),
    }
    stale = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        if check:
            show_difference(path, files[path])
        else:
            path.write_text(files[path])
            print(f"wrote {path.relative_to(ROOT)}")
    return 1 if check and stale else 0


def api_document() -> Document:
    """What ``GET /openapi.json`` answers."""
    from contracts.sealing import derived_key
    from control_plane.app import create_app
    from control_plane.platform.settings import ControlPlaneSettings

    nowhere = ControlPlaneSettings(
        database_url="postgresql+psycopg://nowhere/none",
        redis_url="redis://nowhere",
        public_url="http://nowhere",
        secret_key="k" * 32,
        encryption_keys=(derived_key("k"),),
        mail_outbox_dir=Path("nowhere"),
        knowledge_dir=Path("nowhere"),
        object_store_url="memory:///",
    )
    return create_app(nowhere).openapi()


def declared_problems(document: Document) -> dict[str, Document]:
    """The schemas of problems by their class names: each fixes a ``code`` and a ``status``."""
    return {
        name: schema
        for name, schema in document["components"]["schemas"].items()
        if any(part.get("$ref") == SCHEMA_PREFIX + BASE_PROBLEM for part in schema.get("allOf", ()))
    }


def models_module(document: Document, problems: dict[str, Document]) -> str:
    """The models of all schemas that are not problems."""
    in_responses = reachable(responses(document), document)
    in_bodies = reachable(bodies(document), document)
    schemas = {
        name: schema
        for name, schema in document["components"]["schemas"].items()
        if name not in problems and name != BASE_PROBLEM
    }
    for name in in_responses & schemas.keys():
        schemas[name] = open_to_new_members(schemas[name])
        if name not in in_bodies:
            schemas[name] = with_every_member(schemas[name])
    return models_of(schemas, "What the API takes and answers.")


def live_messages_module() -> str:
    """The models of the messages on a call's data channel, which no route has."""
    from contracts.live_messages import LiveMessage

    whole = LiveMessage.model_json_schema(ref_template=SCHEMA_PREFIX + "{model}")
    parts = whole.pop("$defs")
    schemas = {name: with_every_member(schema) for name, schema in parts.items()}
    return models_of(schemas | {"LiveMessage": whole}, "What a call's data channel tells its legs.")


def models_of(declared: dict[str, Document], about: str) -> str:
    from datamodel_code_generator import (
        DataModelType,
        InputFileType,
        LiteralType,
        OpenAPIScope,
        PythonVersion,
        generate,
    )
    from datamodel_code_generator.format import DatetimeClassType, Formatter

    words = {name: schema for name, schema in declared.items() if "enum" in schema}
    schemas = {name: shape(schema, words) for name, schema in declared.items() if name not in words}
    source = {
        "openapi": "3.1.0",
        "info": {"title": about, "version": "1"},
        "paths": {},
        "components": {"schemas": schemas},
    }
    written = generate(
        json.dumps(source),
        input_file_type=InputFileType.OpenAPI,
        openapi_scopes=[OpenAPIScope.Schemas],
        output_model_type=DataModelType.PydanticV2BaseModel,
        base_class="switchboard_client.wire_model.WireModel",
        target_python_version=PythonVersion.PY_311,
        enum_field_as_literal=LiteralType.All,
        output_datetime_class=DatetimeClassType.Awaredatetime,
        use_annotated=True,
        use_standard_collections=True,
        use_union_operator=True,
        use_schema_description=True,
        use_double_quotes=True,
        use_field_description=True,
        use_inline_field_description=True,
        strict_nullable=True,
        collapse_root_models=True,
        disable_timestamp=True,
        formatters=[Formatter.BUILTIN],
        custom_file_header=f'"""{about}\n\n{WRITTEN_BY}\n"""',
    )
    assert isinstance(written, str)
    return formatted(one_line_docstrings(written))


def one_line_docstrings(source: str) -> str:
    return re.sub(r'"""\n +(\S[^\n]*)\n +"""', _one_line_if_it_fits, source)


def _one_line_if_it_fits(docstring: re.Match[str]) -> str:
    text = docstring[1]
    return f'"""{text}"""' if len(text) + 10 <= LINE_LENGTH else docstring[0]


def bodies(document: Document) -> list[Any]:
    return [each.get("requestBody") for each in operations(document)]


def responses(document: Document) -> list[Any]:
    return [each["responses"] for each in operations(document)]


def operations(document: Document) -> Iterator[Any]:
    return (each for path in document["paths"].values() for each in path.values())


def reachable(node: Any, document: Document) -> set[str]:
    """Names of the schemas that ``node`` refers to, directly or through others."""
    found: set[str] = set()
    waiting = [node]
    while waiting:
        match waiting.pop():
            case {"$ref": str(reference)}:
                name = reference.removeprefix(SCHEMA_PREFIX)
                if name not in found:
                    found.add(name)
                    waiting.append(document["components"]["schemas"][name])
            case dict() as members:
                waiting += members.values()
            case list() as items:
                waiting += items
    return found


def open_to_new_members(schema: Document) -> Document:
    """For schemas that answers have: a newer API may add members, and the client keeps them."""
    if schema.get("additionalProperties") is not False:
        return schema
    return {key: value for key, value in schema.items() if key != "additionalProperties"}


def with_every_member(schema: Document) -> Document:
    """For schemas that only answers have: a member with a default is present, unless its schema
    says that it may be absent."""
    if "properties" not in schema:
        return schema
    present = [
        name for name, member in schema["properties"].items() if not member.get("x-may-be-absent")
    ]
    return schema | {"required": present}


def shape(schema: Any, words: Document) -> Any:
    """The shape without its limits. The server checks lengths, bounds and patterns, and says which
    field is wrong; so an old client does not refuse what a newer API allows. For the same reason
    every enumeration is open.

    Args:
        words: the enumerations that have a name.
    """
    match schema:
        case list():
            return [shape(each, words) for each in schema]
        case {"$ref": str(reference)} if reference.removeprefix(SCHEMA_PREFIX) in words:
            return shape(words[reference.removeprefix(SCHEMA_PREFIX)], words)
        case {"enum": enum, "type": kind}:
            kept = {name: schema[name] for name in ("default", "description") if name in schema}
            return {"anyOf": [{"enum": enum}, {"type": kind}]} | kept
        case dict():
            return {
                key: {name: shape(each, words) for name, each in value.items()}
                if key == "properties"
                else shape(value, words)
                for key, value in schema.items()
                if not is_limit(key, value)
            }
        case _:
            return schema


def is_limit(key: str, value: Any) -> bool:
    if key == "format":
        return value not in KEPT_FORMATS
    if key == "default":
        return isinstance(value, dict | list)
    return key in LIMITS


def problems_module(problems: dict[str, Document]) -> str:
    """One error class for each code."""
    classes = []
    for name, schema in sorted(problems.items()):
        properties = schema["allOf"][1]["properties"]
        code, status = properties["code"]["const"], properties["status"]["const"]
        classes.append(
            f"class {name}(ApiError):\n"
            f'    """{schema["title"]} ({status})."""\n\n'
            f'    code = "{code}"\n'
        )
    header = textwrap.dedent(
        f'''\
        """The errors that the API declares, one class a code.

        {WRITTEN_BY}
        """

        from __future__ import annotations

        from switchboard_client.errors import ApiError
        '''
    )
    codes = {
        schema["allOf"][1]["properties"]["code"]["const"]: name for name, schema in problems.items()
    }
    entries = "".join(f'    "{code}": {name},\n' for code, name in sorted(codes.items()))
    by_code = f"BY_CODE: dict[str, type[ApiError]] = {{\n{entries}}}\n"
    return formatted("\n\n".join([header, *classes, by_code]))


def formatted(source: str) -> str:
    ruff = [sys.executable, "-m", "ruff"]
    settings = ["--config", str(ROOT / "pyproject.toml"), "--stdin-filename", "generated.py"]
    for command in (
        ["check", "--fix-only", "--quiet", "--select", "I,F401,UP,RUF", *settings, "-"],
        ["format", "--quiet", *settings, "-"],
    ):
        source = subprocess.run(
            [*ruff, *command], input=source, capture_output=True, text=True, check=True
        ).stdout
    return source


def show_difference(path: Path, wanted: str) -> None:
    present = path.read_text() if path.exists() else ""
    name = str(path.relative_to(ROOT))
    sys.stdout.writelines(
        difflib.unified_diff(
            present.splitlines(keepends=True), wanted.splitlines(keepends=True), name, name
        )
    )


if __name__ == "__main__":
    sys.exit(main())
