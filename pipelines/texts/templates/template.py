"""Filling a call's variables into texts with ``{{ variable }}``.

Texts may use a small part of Jinja: variables, ``if``, ``for``, and the filters and tests of
``template_sandbox``. Values are never treated as templates.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pipelines.texts.templates.budget import TemplateBudget, TemplateFault
from pipelines.texts.variables import ABSENT, look_up, prepared

# The look-behind keeps the search linear in long runs of spaces.
_PLACEHOLDER = re.compile(r"(?<![ \t])([ \t]*)\{\{\s*([\w.-]+)\s*\}\}")
_TAG = re.compile(r"\{[{%#]")


def fill_template(template: str, variables: Mapping[str, object]) -> str:
    """``template`` with its variables filled in.

    Dots lead into nested objects (``{{ customer.name }}``). A placeholder without a value is
    removed together with the spaces before it. Never raises: in a broken text, only the plain
    placeholders are filled in.
    """
    return filled(template, prepared(variables), TemplateBudget())[0]


def filled(
    template: str, variables: Mapping[str, object], budget: TemplateBudget
) -> tuple[str, TemplateFault | None]:
    """The filled-in text, and what is wrong with the template, if anything.

    Args:
        variables: as ``variables.prepared`` returns them.
        budget: of all the texts that are filled in together.
    """
    if "{" not in template:
        return template, None
    try:
        if is_plain(template):
            return _fill_placeholders(template, variables, budget), None
        return _sandboxed(template, variables, budget), None
    except TemplateFault as fault:
        return _left_as_it_is(template, variables, budget), fault


def template_fault(template: str, budget: TemplateBudget) -> TemplateFault | None:
    """Why ``template`` cannot be filled in with any variables; ``None`` if it can."""
    if "{" not in template or is_plain(template):
        return None
    # Jinja is imported only for texts that need it.
    from pipelines.texts.templates.sandbox import parsed

    try:
        budget.take_tags(len(_TAG.findall(template)))
        parsed(template)
    except TemplateFault as fault:
        return fault
    return None


def names_in(template: str, budget: TemplateBudget) -> tuple[str, ...]:
    """The variables that ``template`` needs: those that it has no alternative for."""
    if "{" not in template:
        return ()
    if is_plain(template) or template_fault(template, budget) is not None:
        return tuple(dict.fromkeys(match[2] for match in _PLACEHOLDER.finditer(template)))
    from pipelines.texts.templates.names import needed_names
    from pipelines.texts.templates.sandbox import parsed

    return needed_names(parsed(template))


def used_names_in(template: str, budget: TemplateBudget) -> frozenset[str]:
    """The variables that ``template`` uses, also those that it can do without."""
    if "{" not in template:
        return frozenset()
    if is_plain(template) or template_fault(template, budget) is not None:
        return frozenset(match[2] for match in _PLACEHOLDER.finditer(template))
    from pipelines.texts.templates.names import used_names
    from pipelines.texts.templates.sandbox import parsed

    return used_names(parsed(template))


def is_plain(template: str) -> bool:
    """Whether the template has no logic: it is filled in in a time that grows with its length."""
    return _TAG.search(_PLACEHOLDER.sub("", template)) is None


def _sandboxed(template: str, variables: Mapping[str, object], budget: TemplateBudget) -> str:
    from pipelines.texts.templates.sandbox import render

    return render(template, variables, budget)


def _fill_placeholders(
    template: str, variables: Mapping[str, object], budget: TemplateBudget
) -> str:
    def value_of(match: re.Match[str]) -> str:
        blanks, name = match.groups()
        value = look_up(name, variables)
        if value is ABSENT or value is None or value == "":
            return ""
        text = str(value)
        budget.take_characters(len(text))
        return f"{blanks}{text}"

    return _PLACEHOLDER.sub(value_of, template)


def _left_as_it_is(template: str, variables: Mapping[str, object], budget: TemplateBudget) -> str:
    try:
        return _fill_placeholders(template, variables, budget)
    except TemplateFault:
        return template
