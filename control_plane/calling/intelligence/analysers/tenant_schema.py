"""The JSON Schema of a tenant's structured data, applied to what was found."""

from __future__ import annotations

from typing import Any, NoReturn

import jsonschema_rs

from control_plane.calling.intelligence.analysers.answer_json import UnusableAnswer, read_object

_MOST_FINDINGS = 12
_LONGEST_FINDING = 300


class SchemaUnusable(Exception):
    """The schema cannot be applied; the text says why."""


class TenantSchema:
    """Opens no file and no connection, whatever the schema refers to.

    Raises:
        SchemaUnusable: it is no valid JSON Schema.
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
        """What is wrong with ``value``, the first few things; nothing if it fits."""
        found = []
        for error in self._validator.iter_errors(value):
            place = "/".join(map(str, error.instance_path)) or "the object"
            found.append(f"{place}: {error.message[:_LONGEST_FINDING]}")
            if len(found) == _MOST_FINDINGS:
                break
        return found

    def wrong_properties(self, value: dict[str, Any]) -> set[str]:
        """Properties of ``value`` that do not fit by themselves."""
        return {
            str(error.instance_path[0])
            for error in self._validator.iter_errors(value)
            if error.instance_path
        }

    def read(self, text: str) -> dict[str, Any]:
        """An answer that fits the schema.

        Raises:
            UnusableAnswer: see ``read_object``; or it does not fit.
        """
        value = read_object(text)
        if findings := self.findings(value):
            raise UnusableAnswer(findings)
        return value


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"refers to another document: {uri}")
