"""The JSON Schema that a tenant's structured data has to fit."""

from __future__ import annotations

from typing import Any, NoReturn

import jsonschema_rs

from control_plane.calling.intelligence.analysers.model.answer_json import read_object
from control_plane.platform.language_model.json_answers import UnusableAnswer

_MOST_FINDINGS = 12
_LONGEST_FINDING = 300


class SchemaUnusable(Exception):
    """The schema is not valid, or refers to another document. The message says why."""


class TenantSchema:
    """Never opens a file or a connection, even if the schema refers to one.

    Raises:
        SchemaUnusable: see there.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        try:
            self._validator = jsonschema_rs.validator_for(
                document, retriever=_refuse, validate_formats=True
            )
        except (
            jsonschema_rs.ValidationError,
            jsonschema_rs.ReferencingError,
            ValueError,
        ) as error:
            raise SchemaUnusable(str(error)[:_LONGEST_FINDING]) from error

    def findings(self, value: Any) -> list[str]:
        """The first few things that are wrong with ``value``; empty if it fits."""
        found = []
        for error in self._validator.iter_errors(value):
            place = "/".join(map(str, error.instance_path)) or "the object"
            found.append(f"{place}: {error.message[:_LONGEST_FINDING]}")
            if len(found) == _MOST_FINDINGS:
                break
        return found

    def wrong_properties(self, value: dict[str, Any]) -> set[str]:
        """The properties of ``value`` whose own value does not fit."""
        return {
            str(error.instance_path[0])
            for error in self._validator.iter_errors(value)
            if error.instance_path
        }

    def read(self, text: str) -> dict[str, Any]:
        """Read a language model's answer and check it.

        Raises:
            UnusableAnswer: the answer does not fit the schema, or ``read_object`` refuses it.
        """
        value = read_object(text)
        if findings := self.findings(value):
            raise UnusableAnswer(findings)
        return value


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"refers to another document: {uri}")
