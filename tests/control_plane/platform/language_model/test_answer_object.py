from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from control_plane.calling.intelligence.analysers.tenant_schema import SchemaUnusable, TenantSchema
from control_plane.platform.language_model.answer_object import read_object
from control_plane.platform.language_model.json_answers import UnusableAnswer


def test_an_object_is_read_with_or_without_a_fence() -> None:
    assert read_object('{"a": [1, 2.5, null, true]}') == {"a": [1, 2.5, None, True]}
    assert read_object('```json\n{"a": 1}\n```') == {"a": 1}


@pytest.mark.parametrize(
    "answer",
    [
        *("", "nothing", "[]", "null", "42", '"{}"', '{"a": 1} and more', "{'a': 1}"),
        *('{"a": NaN}', '{"a": Infinity}', '{"a": -1e999}', f'{{"a": 1{"0" * 40}}}'),
        *('{"a":' * 100 + "1" + "}" * 100, '{"a":' * 100_000, "{" + " " * 200_000 + "}"),
        '{"a": 1' + "0" * 10_000 + "}",
    ],
)
def test_anything_else_is_not(answer: str) -> None:
    with pytest.raises(UnusableAnswer) as caught:
        read_object(answer)
    assert caught.value.findings


def test_what_postgresql_cannot_hold_is_taken_out() -> None:
    assert read_object('{"a\\u0000b": "c\\u0000d"}') == {"ab": "cd"}


@given(st.text())
def test_no_text_breaks_it(answer: str) -> None:
    try:
        value = read_object(answer)
    except UnusableAnswer:
        return
    json.dumps(value, allow_nan=False).encode()


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "file:///etc/passwd"},
        {"$ref": "http://127.0.0.1/schema.json"},
        {"properties": {"a": {"$ref": "https://example.com/x.json#/a"}}},
        {"type": "no such type"},
        {"pattern": "("},
    ],
)
def test_a_schema_that_is_none_or_lies_elsewhere_is_unusable(schema: dict[str, object]) -> None:
    with pytest.raises(SchemaUnusable):
        TenantSchema(schema)


def test_what_does_not_fit_is_named() -> None:
    schema = TenantSchema({"properties": {"age": {"type": "integer"}}, "required": ["name"]})
    with pytest.raises(UnusableAnswer) as caught:
        schema.read('{"age": "four"}')
    assert any("age" in finding for finding in caught.value.findings)
    assert any("name" in finding for finding in caught.value.findings)


def test_data_is_an_object_even_if_the_schema_takes_more() -> None:
    with pytest.raises(UnusableAnswer):
        TenantSchema({}).read("[]")
