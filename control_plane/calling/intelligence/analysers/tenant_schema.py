"""The JSON Schema that a tenant's structured data has to fit."""

from __future__ import annotations

from typing import Any

from control_plane.platform.language_model.answer_object import read_object
from control_plane.platform.language_model.json_answers import UnusableAnswer
from schema_sandbox.limits import fault_of_size
from schema_sandbox.sandbox import (
    Findings,
    SchemaTooCostly,
    schema_sandbox,
)


class SchemaUnusable(Exception):
    """The schema is not valid, refers to another document, or takes too much time or memory. The
    message says why."""


class TenantSchema:
    """Applied in a child process (``schema_sandbox``). Its methods block.

    Raises:
        SchemaUnusable: see there. The methods raise it too.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self._sandbox = schema_sandbox()
        # Checked again: a call of an earlier release may have kept a larger schema.
        try:
            fault = fault_of_size(document) or self._sandbox.fault_of(document)
        except SchemaTooCostly as error:
            fault = str(error)
        if fault is not None:
            raise SchemaUnusable(f"it {fault}")

    def findings(self, value: Any) -> list[str]:
        """The first few things that are wrong with ``value``; empty if it fits."""
        return list(self._findings(value).sentences)

    def wrong_properties(self, value: dict[str, Any]) -> frozenset[str]:
        """The properties of ``value`` whose own value does not fit."""
        return self._findings(value).properties

    def read(self, text: str) -> dict[str, Any]:
        """Read a language model's answer and check it.

        Raises:
            UnusableAnswer: the answer does not fit the schema, or ``read_object`` refuses it.
        """
        value = read_object(text)
        if findings := self.findings(value):
            raise UnusableAnswer(findings)
        return value

    def _findings(self, value: Any) -> Findings:
        try:
            return self._sandbox.findings(self.document, value)
        except SchemaTooCostly as error:
            raise SchemaUnusable(f"it {error}") from error
